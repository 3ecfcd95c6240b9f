import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { isRecord, metaOf, payloadOf, rowsOf } from '../api/response';
import type { ServiceClient } from '../api/client';
import { createClient } from '../api/client';
import type { Endpoint } from '../api/endpoint';
import { permissionOf } from '../api/permissions';
import { unexpectedShapeError } from '../api/errors';
import { send } from '../api/send';

/** Rows per page of a list in the editor. */
const PAGE_SIZE = 50;

/** Pages searched here, if the service has no search, before the user has to scroll for more. */
const PAGES_PER_SEARCH = 5;

/** The user is waiting at the screen: show when to try again instead of waiting for the rate limit. */
export const MAX_RATE_LIMIT_WAIT_MS = 5_000;

interface Picker {
	/** As shown: "List tickets". */
	action: string;
	endpoint: Endpoint;
	rowsName: string;
	/** Whether the list has pages. */
	paged: boolean;
	/** The query parameter for a search, if the service has one. */
	searchParameter?: string;
	query?: (context: ILoadOptionsFunctions) => IDataObject;
	/** How to show a row; undefined leaves it out. */
	show: (row: IDataObject, context: ILoadOptionsFunctions) => INodeListSearchItems | undefined;
	/** Endpoint of a single record, for typed text that is an exact ID, if the list has no search. */
	exact?: Endpoint;
}

type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Makes the method behind a "From List". */
export function search(picker: Picker): Search {
	return async function (filter, paginationToken) {
		const client = await createClient(this, { maxRateLimitWaitMs: MAX_RATE_LIMIT_WAIT_MS });
		const query = picker.query?.(this) ?? {};
		const wanted = (filter ?? '').trim();
		const firstPage = Number(paginationToken ?? 1) || 1;
		const searched = wanted === '' || picker.searchParameter !== undefined;
		const results: INodeListSearchItems[] = [];
		if (!searched && firstPage === 1)
			results.push(...(await exactMatch(this, client, picker, wanted)));

		for (let page = firstPage; page < firstPage + PAGES_PER_SEARCH; page++) {
			const { rows, more } = await readPage(client, picker, query, wanted, page);
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
	client: ServiceClient,
	picker: Picker,
	query: IDataObject,
	wanted: string,
	page: number,
) {
	const request = {
		...purposeOf(picker),
		query: {
			...query,
			...(picker.paged && { page, limit: PAGE_SIZE }),
			...(picker.searchParameter && wanted && { [picker.searchParameter]: wanted }),
		},
	};
	const { json } = await send(client, request);
	const rows = rowsOf(json, picker.rowsName);
	if (!rows) throw unexpectedShapeError(client, request);
	const { totalPages } = metaOf(json);
	const more =
		picker.paged &&
		rows.length > 0 &&
		(totalPages === undefined ? rows.length >= PAGE_SIZE : page < totalPages);
	return { rows, more };
}

async function exactMatch(
	context: ILoadOptionsFunctions,
	client: ServiceClient,
	picker: Picker,
	id: string,
): Promise<INodeListSearchItems[]> {
	// Words are not IDs: they would only cost a request with every letter typed.
	if (!picker.exact || !/^\S*\d\S*$/.test(id)) return [];
	const response = await send(client, {
		...purposeOf(picker),
		endpoint: picker.exact,
		path: { id },
		acceptStatuses: [400, 404],
	});
	const row = response.status < 300 ? payloadOf(response.json) : undefined;
	const match = isRecord(row) ? picker.show(row, context) : undefined;
	return match ? [match] : [];
}

function purposeOf({ action, endpoint }: Picker) {
	const errorHint = (status: number) =>
		status === 403
			? `The token lacks the permission ${permissionOf(endpoint)}, or is inactive. Enter the ID instead, or add the permission in the dashboard under API Access.`
			: undefined;
	return { action, endpoint, errorHint };
}

/** A list entry from a label, and details that distinguish it from others with the same label. */
export function item(
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
