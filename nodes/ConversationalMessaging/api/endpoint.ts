/** The permission matrix: what each permission grants (API document, section Authentication). */
const GRANTS = {
	'broadcasts.send': ['POST /broadcasts'],
	'broadcasts.view': ['GET /broadcasts', 'GET /broadcasts/{id}', 'GET /broadcasts/csv-template'],
	'chats.assign': [
		'POST /chats/{id}/escalate',
		'POST /chats/{id}/de-escalate',
		'POST /chats/session',
		'POST /chats/{id}/assign',
	],
	'chats.reply': ['POST /messages'],
	'chats.view': ['GET /chats', 'GET /chats/{id}', 'GET /chats/session', 'GET /chats/{id}/messages'],
	'contacts.edit': [
		'POST /contacts',
		'POST /contacts/import',
		'PATCH /contacts/{id}',
		'POST /segments',
		'DELETE /segments/{id}',
		'PUT /segments/{id}/members',
		'POST /contacts/{id}/fields',
		'PATCH /contacts/{id}/fields/{fieldId}',
		'DELETE /contacts/{id}/fields/{fieldId}',
	],
	'contacts.view': [
		'GET /contacts',
		'GET /contacts/export',
		'GET /contacts/import-template',
		'GET /contacts/imports',
		'GET /contacts/{id}',
		'GET /contacts/imports/{id}',
		'GET /contacts/imports/{id}/errors',
		'GET /segments',
		'GET /segments/{id}',
	],
	'flows.manage': ['POST /flows/trigger'],
	'flows.view': ['GET /flows'],
	'settings.view': ['GET /channels', 'GET /channels/{id}', 'GET /organization'],
	'templates.manage': ['POST /templates', 'POST /templates/sync', 'DELETE /templates/{id}'],
	'templates.view': ['GET /templates'],
	'ticket_notes.manage': ['POST /tickets/{id}/notes'],
	'tickets.manage': ['POST /tickets', 'PUT /tickets/{id}'],
	'tickets.view': ['GET /tickets', 'GET /tickets/{id}'],
	'users.manage': ['GET /users'],
} as const;

type Permission = keyof typeof GRANTS;

/** A route as the service's document writes it: "PUT /tickets/{id}". */
export type Endpoint = (typeof GRANTS)[Permission][number];

const PERMISSIONS = new Map<Endpoint, Permission>(
	Object.entries(GRANTS).flatMap(([permission, endpoints]) =>
		endpoints.map((endpoint) => [endpoint, permission as Permission] as const),
	),
);

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function methodOf(endpoint: Endpoint): Method {
	return endpoint.slice(0, endpoint.indexOf(' ')) as Method;
}

/** The path of an endpoint, with its placeholders. */
export const pathOf = (endpoint: Endpoint): string => endpoint.slice(endpoint.indexOf(' ') + 1);

export const ENDPOINTS: readonly Endpoint[] = [...PERMISSIONS.keys()];

/** Paths without placeholders: a record's ID must not produce one of them. */
const PLAIN_PATHS = new Set(ENDPOINTS.map(pathOf));

export const isPlainPath = (path: string): boolean => PLAIN_PATHS.has(path);

/** The permission that a token needs for an endpoint, e.g. "tickets.manage". */
export const permissionOf = (endpoint: Endpoint): string => PERMISSIONS.get(endpoint) ?? '';

const NAMES = new RegExp(`\\b(?:${Object.keys(GRANTS).join('|').replace(/\./g, '\\.')})\\b`);

/** Of a longer text, this many characters are searched. */
const MAX_SEARCHED = 16_384;

/** The first permission of the matrix that a text contains, e.g. "chats.reply". */
export const permissionIn = (text: string): string | undefined =>
	NAMES.exec(text.slice(0, MAX_SEARCHED))?.[0];
