import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { readContract, routesOf } from '../sandbox/contract.mts';

/** A list of the service, as the nodes request it. */
export interface ListKind {
	endpoint: Endpoint;
	/** What its records are called in the report. */
	name: ListName;
	/** Whether it has pages. */
	paged: boolean;
}

export type ListName =
	| 'tickets'
	| 'chats'
	| 'contacts'
	| 'broadcasts'
	| 'imports'
	| 'segments'
	| 'templates'
	| 'flows'
	| 'channels'
	| 'users';

const list = (name: ListName, endpoint: Endpoint, paged = false): ListKind => ({
	endpoint,
	name,
	paged,
});

/** All lists that need no record first. */
export const LISTS: Record<ListName, ListKind> = {
	tickets: list('tickets', 'GET /tickets', true),
	chats: list('chats', 'GET /chats', true),
	contacts: list('contacts', 'GET /contacts', true),
	broadcasts: list('broadcasts', 'GET /broadcasts', true),
	imports: list('imports', 'GET /contacts/imports'),
	segments: list('segments', 'GET /segments'),
	templates: list('templates', 'GET /templates'),
	flows: list('flows', 'GET /flows'),
	channels: list('channels', 'GET /channels'),
	users: list('users', 'GET /users'),
};

export const LIST_NAMES = Object.keys(LISTS) as ListName[];
export const PAGED_LISTS = LIST_NAMES.filter((name) => LISTS[name].paged);

const pageSizes = new Map(
	[...routesOf(readContract()).values()].map(({ name, pageSize }) => [name, pageSize]),
);

/** Default and maximum page size of the contract; undefined if the route has none. */
export const documentedSize = (endpoint: Endpoint) => pageSizes.get(endpoint);
