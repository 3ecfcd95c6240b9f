import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { recordOf } from '../api/response/response';
import { type ServiceClient, createEditorClient } from '../api/client';
import {
	type Endpoint,
	type ListEndpoint,
	pagingOf,
	pageQuery,
	permissionOf,
	SMALLEST_PAGE,
} from '../api/endpoint';
import type { RequestInfo } from '../api/failures';
import { shown } from '../api/access/shown';
import { readPage, withoutIds } from '../api/reads/pages';

/** Pages searched here, if the service has no search, before the user has to scroll for more. */
const PAGES_PER_SEARCH = 5;

interface SearchableList {
	/** As shown: "List tickets". */
	action: string;
	endpoint: ListEndpoint;
	search?: (text: string) => IDataObject;
	query?: (n8n: ILoadOptionsFunctions) => IDataObject;
	/** How to show a row, with its ID as text in `id`; undefined leaves it out. */
	toEntry: (row: IDataObject, n8n: ILoadOptionsFunctions) => INodeListSearchItems | undefined;
}

type SearchMethod = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Makes the method behind a "From List". */
export function searchMethod(list: SearchableList): SearchMethod {
	return async function (filter, paginationToken) {
		const client = await createEditorClient(this);
		const query = list.query?.(this) ?? {};
		const searchText = (filter ?? '').trim();
		const firstPage = Number(paginationToken ?? 1) || 1;
		const searched = searchText === '' || list.search !== undefined;
		const results: INodeListSearchItems[] = [];
		const listed = new Set<unknown>();

		for (let page = firstPage; page < firstPage + PAGES_PER_SEARCH; page++) {
			const { rows, more } = await readListPage(client, list, query, searchText, page);
			const records = rows.map((row) => withId(row, list.endpoint));
			const entries = records.flatMap((record) => list.toEntry(record, this) ?? []);
			// A contact without an address on the channel is no recipient, but one without an ID either is unreadable.
			if (rows.length > 0 && entries.length === 0 && records.every(({ id }) => id === undefined))
				throw withoutIds(client, requestFor(list), 'a row', rows[0]);
			for (const entry of entries) {
				if (listed.has(entry.value)) continue;
				if (!searched && !containsText(entry.name, searchText)) continue;
				listed.add(entry.value);
				results.push(entry);
			}
			if (!more) return { results };
			if (searched || results.length > 0) return { results, paginationToken: String(page + 1) };
		}
		return { results, paginationToken: String(firstPage + PAGES_PER_SEARCH) };
	};
}

/** Whether a name contains a text, in any case and without accents: nobody types those of "Zoë". */
const containsText = (name: string, text: string): boolean => plain(name).includes(plain(text));

/** "New York" is in America/New_York. */
const plain = (text: string): string =>
	text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/_/g, ' ').toLowerCase();

export const matching = (entries: INodeListSearchItems[], filter = ''): INodeListSearchItems[] =>
	entries.filter(({ name }) => containsText(name, filter.trim()));

async function readListPage(
	client: ServiceClient,
	list: SearchableList,
	query: IDataObject,
	searchText: string,
	page: number,
): Promise<{ rows: unknown[]; more: boolean }> {
	const request = {
		...requestFor(list),
		query: {
			...query,
			...pageQuery(list.endpoint, page),
			...(searchText && list.search?.(searchText)),
		},
	};
	const { rows, meta } = await readPage(client, request);
	const { total, totalPages } = meta;
	// The service may return smaller pages than requested.
	const mayHaveMore = pagingOf(list.endpoint).pages !== undefined && rows.length >= SMALLEST_PAGE;
	const isAll = rows.length === 0 || rows.length === total;
	return { rows, more: !isAll && (totalPages === undefined ? mayHaveMore : page < totalPages) };
}

function withId(row: unknown, endpoint: Endpoint): IDataObject {
	const { record, id } = recordOf({ data: row }, endpoint);
	return { ...record, id };
}

/** What a request of a list needs besides its query. @param instead what the user can enter if the token lacks the permission */
export function requestFor<Of extends Endpoint>(
	{ action, endpoint }: { action: string; endpoint: Of },
	instead = 'ID',
): RequestInfo & { endpoint: Of } {
	const errorHint = (status: number) =>
		status === 403
			? shown`The token lacks the permission ${permissionOf(endpoint)}, or is inactive. Enter the ${instead} instead, or add the permission in the dashboard under API Access.`
			: undefined;
	return { action, endpoint, errorHint };
}

/** A list entry from a label, and details that distinguish it from others with the same label. */
export function listEntry(
	id: unknown,
	label: unknown,
	...details: unknown[]
): INodeListSearchItems | undefined {
	if (typeof id !== 'string' && typeof id !== 'number') return undefined;
	const name = typeof label === 'string' && label !== '' ? label : String(id);
	const extra = details.filter(
		(detail) =>
			((typeof detail === 'string' && detail !== '') || typeof detail === 'number') &&
			detail !== name,
	);
	return { name: extra.length > 0 ? `${name} (${extra.join(', ')})` : name, value: String(id) };
}
