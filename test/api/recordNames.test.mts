import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { recordNames } from '../../nodes/ConversationalMessaging/api/recordNames.ts';

const IMPORT = ['import', 'importJob', 'contactImport'];
const FIELD = ['field', 'customField', 'contactField'];

describe('the names under which a response may contain its record', () => {
	test.each<[Endpoint, string[]]>([
		['GET /contacts/{id}', ['contact']],
		['POST /contacts', ['contact']],
		// A route that begins with another route's path has a record of its own.
		['POST /contacts/import', IMPORT],
		['GET /contacts/imports/{id}', IMPORT],
		['POST /contacts/{id}/fields', FIELD],
		['PATCH /contacts/{id}/fields/{fieldId}', FIELD],
		['POST /segments', ['segment']],
		['PUT /segments/{id}/members', ['segment']],
		['GET /chats/{id}', ['chat', 'conversation']],
		['POST /chats/{id}/assign', ['chat', 'conversation']],
		['POST /messages', ['message']],
		['POST /templates', ['template']],
		['POST /broadcasts', ['broadcast', 'campaign']],
		['GET /broadcasts/{id}', ['broadcast', 'campaign']],
		['PUT /tickets/{id}', ['ticket']],
		['POST /tickets/{id}/notes', ['note', 'ticketNote']],
		['GET /channels/{id}', ['channel', 'orgChannel']],
		['GET /organization', ['organization']],
	])('%s: %j', (endpoint, names) => {
		expect(recordNames(endpoint)).toEqual(names);
	});

	test.each<Endpoint>([
		'GET /chats/session',
		'POST /chats/session',
		'POST /templates/sync',
		'POST /flows/trigger',
		'GET /flows',
		'GET /users',
	])('%s: none, because it returns no single record', (endpoint) => {
		expect(recordNames(endpoint)).toEqual([]);
	});
});
