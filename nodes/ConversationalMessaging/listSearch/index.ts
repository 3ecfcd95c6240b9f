import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { isRecord } from '../api/response';
import { idOf } from '../api/pages';
import { chosenChannel } from '../parameters/editor';
import { item, search } from './search';
import { MAX_TEMPLATES, TEMPLATE_LIST, templateKey, templateOf } from '../parameters/template';
import { textOf } from '../api/text';

const contacts = {
	action: 'List contacts',
	endpoint: 'GET /contacts',
	rowsName: 'contacts',
	paged: true,
	searchParameter: 'search',
} as const;

const contactName = (row: IDataObject) => row.customName || row.name;

const searchContacts = search({
	...contacts,
	show: (row) => item(idOf(row), contactName(row), row.waId ?? row.igUsername ?? row.igId),
});

/** The contacts of the chosen channel, by the ID that messages are sent to. */
const searchRecipients = search({
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

const searchTickets = search({
	action: 'List tickets',
	endpoint: 'GET /tickets',
	rowsName: 'tickets',
	paged: true,
	exact: 'GET /tickets/{id}',
	show: (row) => {
		const number = row.ticketNumber ?? row.number;
		const title = typeof row.title === 'string' ? row.title : '';
		return item(
			idOf(row) ?? number,
			number === undefined ? title : `#${textOf(number)} ${title}`.trim(),
			row.status,
			row.priority,
		);
	},
});

const searchChannels = search({
	action: 'List channels',
	endpoint: 'GET /channels',
	rowsName: 'channels',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.type ?? row.channel, row.phoneNumber),
});

const searchAgents = search({
	action: 'List agents',
	endpoint: 'GET /users',
	rowsName: 'users',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.email),
});

/** The name of a contact inside a chat. */
const nameInside = (value: unknown): unknown =>
	isRecord(value) ? contactName(value) || value.waId || value.igId : undefined;

const searchChats = search({
	action: 'List chats',
	endpoint: 'GET /chats',
	rowsName: 'chats',
	paged: true,
	exact: 'GET /chats/{id}',
	show: (row) => item(idOf(row), nameInside(row.contact) ?? row.contactName, row.channel),
});

const searchSegments = search({
	action: 'List segments',
	endpoint: 'GET /segments',
	rowsName: 'segments',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.isDynamic === true ? 'dynamic' : undefined),
});

const searchBroadcasts = search({
	action: 'List broadcasts',
	endpoint: 'GET /broadcasts',
	rowsName: 'broadcasts',
	paged: true,
	exact: 'GET /broadcasts/{id}',
	show: (row) => item(idOf(row), row.name, row.status),
});

const searchImports = search({
	action: 'List import jobs',
	endpoint: 'GET /contacts/imports',
	rowsName: 'imports',
	paged: false,
	query: () => ({ limit: 200 }),
	exact: 'GET /contacts/imports/{id}',
	show: (row) => item(idOf(row), row.fileName ?? row.name, row.status, row.createdAt),
});

const searchFlows = search({
	action: 'List flows',
	endpoint: 'GET /flows',
	rowsName: 'flows',
	paged: false,
	show: (row) => item(idOf(row), row.name, row.keyword),
});

/**
 * Templates of the chosen channel. The entry's value contains all that the service may ask for: ID, name and
 * language.
 */
const searchTemplates = search({
	...TEMPLATE_LIST,
	paged: false,
	query: (context) => ({ limit: MAX_TEMPLATES, channelId: chosenChannel(context) }),
	show: (row) => {
		const template = templateOf(row);
		if (!template) return undefined;
		return item(templateKey(template), template.name, template.language, row.category, row.status);
	},
});

/** The methods behind every "From List", by the names that the fields use. */
export const listSearch = {
	searchAgents,
	searchBroadcasts,
	searchChannels,
	searchChats,
	searchContacts,
	searchFlows,
	searchImports,
	searchRecipients,
	searchSegments,
	searchTemplates,
	searchTickets,
};
