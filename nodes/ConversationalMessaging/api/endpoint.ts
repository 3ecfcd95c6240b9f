import type { IDataObject } from 'n8n-workflow';

interface Facts {
	permission: string;
	/**
	 * What the service may call the record that is returned, in singular: it may be under this name in `data`, and its ID may be
	 * named after it. Each row of a list is such a record, or the list is in one.
	 */
	record?: readonly string[];
	/** Whether there may be no such record. */
	isOptional?: true;
	/** Of a list: what the service may call the rows in `data`. It has pages, a limit, a cursor, or none of these. */
	rows?: readonly string[];
	/** The largest page of a list with pages. */
	pages?: number;
	/** The `limit` of a list without pages, if all rows are wanted. */
	limit?: number;
	/** The largest `take` of a list with a cursor. */
	take?: number;
	file?: true;
}

const JOB = ['import', 'importJob', 'job'] as const;
const JOBS = ['imports', 'importJobs', 'jobs'] as const;

/** What the service may call a segment's members, which are contacts. */
export const MEMBER_NAMES = ['members', 'contacts'] as const;

/** All endpoints of the service, a line each (API document, sections Endpoints, Authentication and Limits). */
// prettier-ignore
export const ENDPOINTS = {
	'POST /messages': { permission: 'chats.reply', record: ['message'] },

	'GET /chats': { permission: 'chats.view', record: ['chat'], rows: ['chats'], pages: 100 },
	'GET /chats/{id}': { permission: 'chats.view', record: ['chat'] },
	'GET /chats/{id}/messages': { permission: 'chats.view', record: ['chat'], rows: ['messages'], take: 100 },
	'POST /chats/{id}/assign': { permission: 'chats.assign', record: ['chat'] },
	'POST /chats/{id}/escalate': { permission: 'chats.assign', record: ['chat'] },
	'POST /chats/{id}/de-escalate': { permission: 'chats.assign', record: ['chat'] },
	'GET /chats/session': { permission: 'chats.view', record: ['session'], isOptional: true },
	'POST /chats/session': { permission: 'chats.assign', record: ['session'] },

	'GET /contacts': { permission: 'contacts.view', record: ['contact'], rows: ['contacts'], pages: 200 },
	'POST /contacts': { permission: 'contacts.edit', record: ['contact'] },
	'GET /contacts/{id}': { permission: 'contacts.view', record: ['contact'] },
	'PATCH /contacts/{id}': { permission: 'contacts.edit', record: ['contact'] },
	'POST /contacts/{id}/fields': { permission: 'contacts.edit', record: ['field'] },
	'PATCH /contacts/{id}/fields/{fieldId}': { permission: 'contacts.edit', record: ['field'] },
	'DELETE /contacts/{id}/fields/{fieldId}': { permission: 'contacts.edit', record: ['field'] },
	'GET /contacts/export': { permission: 'contacts.view', file: true },
	'POST /contacts/import': { permission: 'contacts.edit', record: JOB },
	'GET /contacts/import-template': { permission: 'contacts.view', file: true },
	// This limit has no documented maximum, so the general one applies.
	'GET /contacts/imports': { permission: 'contacts.view', record: JOB, rows: JOBS, limit: 200 },
	'GET /contacts/imports/{id}': { permission: 'contacts.view', record: JOB },
	'GET /contacts/imports/{id}/errors': { permission: 'contacts.view', file: true },

	'GET /segments': { permission: 'contacts.view', record: ['segment'], rows: ['segments'] },
	'POST /segments': { permission: 'contacts.edit', record: ['segment'] },
	'GET /segments/{id}': { permission: 'contacts.view', record: ['segment'], rows: MEMBER_NAMES, pages: 200 },
	'DELETE /segments/{id}': { permission: 'contacts.edit', record: ['segment'] },
	'PUT /segments/{id}/members': { permission: 'contacts.edit', record: ['segment'] },

	// This limit is approximate: more than anybody has.
	'GET /templates': { permission: 'templates.view', record: ['template'], rows: ['templates'], limit: 1000 },
	'POST /templates': { permission: 'templates.manage', record: ['template'] },
	'DELETE /templates/{id}': { permission: 'templates.manage', record: ['template'] },
	'POST /templates/sync': { permission: 'templates.manage' },

	'GET /broadcasts': { permission: 'broadcasts.view', record: ['broadcast'], rows: ['broadcasts'], pages: 200 },
	'POST /broadcasts': { permission: 'broadcasts.send', record: ['broadcast'] },
	'GET /broadcasts/{id}': { permission: 'broadcasts.view', record: ['broadcast'] },
	'GET /broadcasts/csv-template': { permission: 'broadcasts.view', file: true },

	'GET /flows': { permission: 'flows.view', record: ['flow'], rows: ['flows'] },
	'POST /flows/trigger': { permission: 'flows.manage', record: ['flow'] },

	'GET /tickets': { permission: 'tickets.view', record: ['ticket'], rows: ['tickets'], pages: 200 },
	'POST /tickets': { permission: 'tickets.manage', record: ['ticket'] },
	'GET /tickets/{id}': { permission: 'tickets.view', record: ['ticket'] },
	'PUT /tickets/{id}': { permission: 'tickets.manage', record: ['ticket'] },
	'POST /tickets/{id}/notes': { permission: 'ticket_notes.manage', record: ['note'] },

	'GET /channels': { permission: 'settings.view', record: ['channel'], rows: ['channels'] },
	'GET /channels/{id}': { permission: 'settings.view', record: ['channel'] },
	'GET /users': { permission: 'users.manage', record: ['user'], rows: ['users'] },
	'GET /organization': { permission: 'settings.view', record: ['organization'] },
} as const satisfies Record<string, Facts>;

/** A route as the service's document writes it: "PUT /tickets/{id}". */
export type Endpoint = keyof typeof ENDPOINTS;

/** An endpoint that returns a list, or a record with one. */
export type ListEndpoint = {
	[Each in Endpoint]: (typeof ENDPOINTS)[Each] extends { rows: unknown } ? Each : never;
}[Endpoint];

const FACTS: Readonly<Record<Endpoint, Facts>> = ENDPOINTS;

const ALL = Object.keys(ENDPOINTS) as Endpoint[];

export const LIST_ENDPOINTS = ALL.filter((each): each is ListEndpoint => 'rows' in ENDPOINTS[each]);

/** How a list is paged: in `pages`, with a `limit` or a `take`, or not at all. */
export const pagingOf = (endpoint: ListEndpoint): Pick<Facts, 'pages' | 'limit' | 'take'> =>
	FACTS[endpoint];

export const returnsFile = (endpoint: Endpoint): boolean => FACTS[endpoint].file === true;

/** What the service may call the record that an endpoint returns, in singular. */
export const recordNames = (endpoint: Endpoint): readonly string[] => FACTS[endpoint].record ?? [];

/** The same for the rows of a list: in a segment, they are contacts. */
export const listedNames = (endpoint: ListEndpoint): readonly string[] =>
	rowNames(endpoint) === MEMBER_NAMES ? recordNames('GET /contacts') : recordNames(endpoint);

/** Whether an endpoint reads a record that must be there. */
export const readsRecord = (endpoint: Endpoint): boolean =>
	methodOf(endpoint) === 'GET' && recordNames(endpoint).length > 0 && !FACTS[endpoint].isOptional;

/** What the service may call the rows of a list; none of anything else. */
export const rowNames = (endpoint: Endpoint): readonly string[] => FACTS[endpoint].rows ?? [];

/** The query for as many rows as one request returns. @param page a list may have some although the document names none */
export function pageQuery(endpoint: ListEndpoint, page = 1): IDataObject {
	const { pages, limit, take } = pagingOf(endpoint);
	if (pages !== undefined) return { page, limit: pages };
	return { limit, take, page: page > 1 ? page : undefined };
}

/** The smallest page of the document (section Limits): a list with fewer rows is not cut. */
export const SMALLEST_PAGE = 20;

/** How many rows of a general list the service returns by default, and at most (API document, section Limits). */
export const GENERAL_PAGES = [50, 200];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function methodOf(endpoint: Endpoint): Method {
	return endpoint.slice(0, endpoint.indexOf(' ')) as Method;
}

/** The path of an endpoint, with its placeholders. */
export const pathOf = (endpoint: Endpoint): string => endpoint.slice(endpoint.indexOf(' ') + 1);

/** Paths without placeholders: a record's ID must not produce one of them. */
const PLAIN_PATHS = new Set(ALL.map(pathOf));

export const isPlainPath = (path: string): boolean => PLAIN_PATHS.has(path);

/** The permission that a token needs for an endpoint, e.g. "tickets.manage". */
export const permissionOf = (endpoint: Endpoint): string => FACTS[endpoint].permission;

const PERMISSIONS = [...new Set(ALL.map(permissionOf))];
const NAMES = new RegExp(`\\b(?:${PERMISSIONS.join('|').replace(/\./g, '\\.')})\\b`);

/** Of a longer text, this many characters are searched. */
const MAX_SEARCHED = 16_384;

/** The first permission of the matrix that a text contains, e.g. "chats.reply". */
export const permissionIn = (text: string): string | undefined =>
	NAMES.exec(text.slice(0, MAX_SEARCHED))?.[0];
