import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { readContract, routesOf } from '../sandbox/contract.mts';

/** All lists that need no record first, as the nodes request them. */
export const LISTS = {
	tickets: 'GET /tickets',
	chats: 'GET /chats',
	contacts: 'GET /contacts',
	broadcasts: 'GET /broadcasts',
	imports: 'GET /contacts/imports',
	segments: 'GET /segments',
	templates: 'GET /templates',
	flows: 'GET /flows',
	channels: 'GET /channels',
	users: 'GET /users',
} as const satisfies Record<string, Endpoint>;

export type ListName = keyof typeof LISTS;

export const LIST_NAMES = Object.keys(LISTS) as ListName[];
export const PAGED_LISTS = ['tickets', 'chats', 'contacts', 'broadcasts'] as const;

const pageSizes = new Map(
	[...routesOf(readContract()).values()].map(({ name, pageSize }) => [name, pageSize?.cap]),
);

/** The largest page of a list, as documented, which the nodes request; undefined if it has no limit. */
export const documentedSize = (endpoint: Endpoint): number | undefined => pageSizes.get(endpoint);
