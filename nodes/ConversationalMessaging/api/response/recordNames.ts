import type { Endpoint } from '../endpoint';

/** The first that a path begins with counts. */
const NAMES: [path: string, names: string[]][] = [
	['/contacts/import', ['import', 'importJob', 'contactImport']],
	['/contacts/{id}/fields', ['field', 'customField', 'contactField']],
	['/contacts', ['contact']],
	['/segments', ['segment']],
	// A contact has a session or none: beside it, the response says which.
	['/chats/session', []],
	['/chats', ['chat', 'conversation']],
	['/messages', ['message']],
	['/templates/sync', []],
	['/templates', ['template']],
	['/broadcasts', ['broadcast', 'campaign']],
	['/tickets/{id}/notes', ['note', 'ticketNote']],
	['/tickets', ['ticket']],
	['/channels', ['channel', 'orgChannel']],
	['/organization', ['organization']],
];

/**
 * What the service may call the record that an endpoint returns, in singular: it may be under this name in `data` (API
 * document, section Response envelope: the shape of the payload is not shown).
 */
export function recordNames(endpoint: Endpoint): readonly string[] {
	const path = endpoint.slice(endpoint.indexOf(' ') + 1);
	return NAMES.find(([start]) => path.startsWith(start))?.[1] ?? [];
}
