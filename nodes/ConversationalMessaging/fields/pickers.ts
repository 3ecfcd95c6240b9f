import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { isRecord, metaOf, rowsOf } from '../api/answer';
import type { Connection } from '../api/connection';
import { connect } from '../api/connection';
import type { Endpoint } from '../api/endpoint';
import { idOf } from '../api/pages';
import { unexpectedShape } from '../api/refusal';
import { send } from '../api/send';
import { toChoice } from './parameters';
import { MANY_TEMPLATES, templateKey, templateOf } from './template';

/** Rows per page of a list that somebody looks through. */
const PAGE_SIZE = 50;

/** Pages of a list that are searched here, because the service cannot, before the person has to ask for more. */
const PAGES_PER_SEARCH = 5;

/** Somebody waits at the screen: rather say when to try again than wait out a rate limit. */
const PATIENCE_MS = 5_000;

interface Picker {
	/** In words: "List tickets". */
	action: string;
	endpoint: Endpoint;
	permission: string;
	rowsName: string;
	/** Whether the list has pages. */
	paged: boolean;
	/** The query parameter that searches, where the service can. */
	searchParameter?: string;
	query?: (context: ILoadOptionsFunctions) => IDataObject;
	/** How a row is shown; undefined leaves it out. */
	show: (row: IDataObject, context: ILoadOptionsFunctions) => INodeListSearchItems | undefined;
	/** A record that the typed text names exactly, where the list has no search. */
	exact?: Endpoint;
}

type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Makes the method behind a "From List". */
function search(picker: Picker): Search {
	return async function (filter, paginationToken) {
		const connection = await connect(this, { patienceMs: PATIENCE_MS });
		const query = picker.query?.(this) ?? {};
		const wanted = (filter ?? '').trim();
		const firstPage = Number(paginationToken ?? 1) || 1;
		const searched = wanted === '' || picker.searchParameter !== undefined;
		const results: INodeListSearchItems[] = [];
		if (!searched && firstPage === 1)
			results.push(...(await exactMatch(this, connection, picker, wanted)));

		for (let page = firstPage; page < firstPage + PAGES_PER_SEARCH; page++) {
			const { rows, more } = await readPage(connection, picker, query, wanted, page);
			const shown = rows.map((row) => (isRecord(row) ? picker.show(row, this) : undefined));
			for (const item of shown) {
				if (!item || results.some(({ value }) => value === item.value)) continue;
				if (searched || item.name.toLowerCase().includes(wanted.toLowerCase())) results.push(item);
			}
			if (!more) return { results };
			if (searched || results.length > 0) return { results, paginationToken: String(page + 1) };
		}
		return { results, paginationToken: String(firstPage + PAGES_PER_SEARCH) };
	};
}

async function readPage(
	connection: Connection,
	picker: Picker,
	query: IDataObject,
	wanted: string,
	page: number,
) {
	const call = {
		...intentOf(picker),
		query: {
			...query,
			...(picker.paged && { page, limit: PAGE_SIZE }),
			...(picker.searchParameter && wanted && { [picker.searchParameter]: wanted }),
		},
	};
	const { json } = await send(connection, call);
	const rows = rowsOf(json, picker.rowsName);
	if (!rows) throw unexpectedShape(connection, call);
	const { totalPages } = metaOf(json);
	const more =
		picker.paged &&
		rows.length > 0 &&
		(totalPages === undefined ? rows.length >= PAGE_SIZE : page < totalPages);
	return { rows, more };
}

async function exactMatch(
	context: ILoadOptionsFunctions,
	connection: Connection,
	picker: Picker,
	id: string,
): Promise<INodeListSearchItems[]> {
	// Words are no IDs: they would only cost a request with every letter that is typed.
	if (!picker.exact || !/^\S*\d\S*$/.test(id)) return [];
	const answer = await send(connection, {
		...intentOf(picker),
		endpoint: picker.exact,
		path: { id },
		expect: [400, 404],
	});
	const row = answer.status < 300 && isRecord(answer.json) ? answer.json.data : undefined;
	const match = isRecord(row) ? picker.show(row, context) : undefined;
	return match ? [match] : [];
}

function intentOf({ action, endpoint, permission }: Picker) {
	const advice = (status: number) =>
		status === 403
			? `The list needs the permission ${permission}, and the token lacks it or is not active. Enter the ID instead, or add the permission in the dashboard under API Access.`
			: undefined;
	return { action, endpoint, permission, advice };
}

/** A list entry from a label and what tells it from others of the same label. */
function item(
	id: unknown,
	label: unknown,
	...details: unknown[]
): INodeListSearchItems | undefined {
	if (typeof id !== 'string' && typeof id !== 'number') return undefined;
	const extra = details.filter(
		(detail) => (typeof detail === 'string' && detail !== '') || typeof detail === 'number',
	);
	const name = typeof label === 'string' && label !== '' ? label : String(id);
	return { name: extra.length > 0 ? `${name} (${extra.join(', ')})` : name, value: String(id) };
}

const contacts = {
	action: 'List contacts',
	endpoint: 'GET /contacts',
	permission: 'contacts.view',
	rowsName: 'contacts',
	paged: true,
	searchParameter: 'search',
} as const;

const contactName = (row: IDataObject) => row.customName || row.name;

export const searchContacts = search({
	...contacts,
	show: (row) => item(idOf(row), contactName(row), row.waId ?? row.igUsername ?? row.igId),
});

/** The contacts of the chosen channel, by the address that messages go to. */
export const searchRecipients = search({
	...contacts,
	query: (context) => ({ channel: channelOf(context) }),
	show: (row, context) =>
		channelOf(context) === 'INSTAGRAM'
			? item(row.igId, contactName(row), row.igUsername)
			: item(row.waId, contactName(row), row.waId),
});

function channelOf(context: ILoadOptionsFunctions): string {
	const channel = context.getCurrentNodeParameter('channel');
	return channel === 'INSTAGRAM' ? 'INSTAGRAM' : 'WHATSAPP';
}

export const searchTickets = search({
	action: 'List tickets',
	endpoint: 'GET /tickets',
	permission: 'tickets.view',
	rowsName: 'tickets',
	paged: true,
	exact: 'GET /tickets/{id}',
	show: (row) => {
		const number = row.ticketNumber ?? row.number;
		const title = typeof row.title === 'string' ? row.title : '';
		return item(
			idOf(row) ?? number,
			number === undefined ? title : `#${String(number)} ${title}`.trim(),
			row.status,
			row.priority,
		);
	},
});

export const searchChannels = search({
	action: 'List channels',
	endpoint: 'GET /channels',
	permission: 'settings.view',
	rowsName: 'channels',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.type ?? row.channel, row.phoneNumber),
});

export const searchAgents = search({
	action: 'List agents',
	endpoint: 'GET /users',
	permission: 'users.manage',
	rowsName: 'users',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.email),
});

/** What a contact is called, where a chat carries it along. */
const nameInside = (value: unknown): unknown =>
	isRecord(value) ? contactName(value) || value.waId || value.igId : undefined;

export const searchChats = search({
	action: 'List chats',
	endpoint: 'GET /chats',
	permission: 'chats.view',
	rowsName: 'chats',
	paged: true,
	exact: 'GET /chats/{id}',
	show: (row) => item(idOf(row), nameInside(row.contact) ?? row.contactName, row.channel),
});

export const searchSegments = search({
	action: 'List segments',
	endpoint: 'GET /segments',
	permission: 'contacts.view',
	rowsName: 'segments',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.isDynamic === true ? 'dynamic' : undefined),
});

export const searchBroadcasts = search({
	action: 'List broadcasts',
	endpoint: 'GET /broadcasts',
	permission: 'broadcasts.view',
	rowsName: 'broadcasts',
	paged: true,
	exact: 'GET /broadcasts/{id}',
	show: (row) => item(idOf(row), row.name, row.status),
});

export const searchImports = search({
	action: 'List import jobs',
	endpoint: 'GET /contacts/imports',
	permission: 'contacts.view',
	rowsName: 'imports',
	paged: false,
	query: () => ({ limit: 200 }),
	exact: 'GET /contacts/imports/{id}',
	show: (row) => item(idOf(row), row.fileName ?? row.name, row.status, row.createdAt),
});

export const searchFlows = search({
	action: 'List flows',
	endpoint: 'GET /flows',
	permission: 'flows.view',
	rowsName: 'flows',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.keyword),
});

/** Templates of the chosen channel. The entry's value says all that the service may ask for: ID, name and language. */
export const searchTemplates = search({
	action: 'List templates',
	endpoint: 'GET /templates',
	permission: 'templates.view',
	rowsName: 'templates',
	paged: false,
	query: (context) => ({ limit: MANY_TEMPLATES, channelId: chosenChannel(context) }),
	show: (row) => {
		const template = templateOf(row);
		if (!template) return undefined;
		return item(templateKey(template), template.name, template.language, row.category, row.status);
	},
});

/** A channel that was picked before, as a field of its own or among the options. */
function chosenChannel(context: ILoadOptionsFunctions): string | undefined {
	const own = context.getCurrentNodeParameter('channelId');
	const options = context.getCurrentNodeParameter('options') as IDataObject | undefined;
	const value = toChoice(own ?? options?.channelId)?.value;
	// An expression has no value yet while the workflow is edited.
	return value?.startsWith('=') ? undefined : value;
}
