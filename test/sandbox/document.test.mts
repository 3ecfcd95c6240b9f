import { handlers } from '../../sandbox/services/index.mts';
import { operations } from './operations.mts';

/**
 * The endpoints of the service's document, written down a second time: the other tests of this folder trust the contract.
 * What requests contain is compared with the second reading in nodes/ (test/contract), and by hand in requests.test.mts.
 */

/** Permission, statuses, and the default and the maximum of the page size. The document lists none for the import template: these are those of the other reads. */
const endpoints: [
	route: string,
	permission: string,
	responds: string,
	pageSize?: [standard: number, most: number],
][] = [
	['POST /messages', 'chats.reply', '200 400 401 403 404 409 429'],
	['GET /chats', 'chats.view', '200 401 403', [20, 100]],
	['GET /chats/{id}', 'chats.view', '200 401 403 404'],
	['POST /chats/{id}/assign', 'chats.assign', '200 400 401 403 404'],
	['POST /chats/{id}/de-escalate', 'chats.assign', '200 400 401 403 404'],
	['POST /chats/{id}/escalate', 'chats.assign', '200 400 401 403 404 429'],
	['GET /chats/{id}/messages', 'chats.view', '200 400 401 403 404', [50, 100]],
	['GET /chats/session', 'chats.view', '200 400 401 404'],
	['POST /chats/session', 'chats.assign', '200 400 401 403 404 409'],
	['GET /contacts', 'contacts.view', '200 401 403', [50, 200]],
	['POST /contacts', 'contacts.edit', '200 400 401 403 409'],
	['GET /contacts/{id}', 'contacts.view', '200 401 403 404'],
	['PATCH /contacts/{id}', 'contacts.edit', '200 400 401 403 404'],
	['GET /contacts/export', 'contacts.view', '200 401 403'],
	['POST /contacts/import', 'contacts.edit', '200 400 401 403'],
	['GET /contacts/import-template', 'contacts.view', '200 401 403'],
	['GET /contacts/imports', 'contacts.view', '200 401 403', [20, 200]],
	['GET /contacts/imports/{id}', 'contacts.view', '200 401 403 404'],
	['GET /contacts/imports/{id}/errors', 'contacts.view', '200 401 403 404'],
	['POST /contacts/{id}/fields', 'contacts.edit', '200 400 401 403 404'],
	['PATCH /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 400 401 403 404'],
	['DELETE /contacts/{id}/fields/{fieldId}', 'contacts.edit', '200 401 403 404'],
	['GET /segments', 'contacts.view', '200 401 403'],
	['POST /segments', 'contacts.edit', '200 400 401 403 409'],
	['GET /segments/{id}', 'contacts.view', '200 401 403 404', [50, 200]],
	['DELETE /segments/{id}', 'contacts.edit', '200 401 403 404'],
	['PUT /segments/{id}/members', 'contacts.edit', '200 400 401 403 404'],
	['GET /templates', 'templates.view', '200 401 403'],
	['POST /templates', 'templates.manage', '200 400 401 403'],
	['DELETE /templates/{id}', 'templates.manage', '200 400 401 403'],
	['POST /templates/sync', 'templates.manage', '200 400 401 403'],
	['GET /broadcasts', 'broadcasts.view', '200 401 403', [20, 200]],
	['POST /broadcasts', 'broadcasts.send', '200 400 401 403 404 429'],
	['GET /broadcasts/{id}', 'broadcasts.view', '200 401 403 404'],
	['GET /broadcasts/csv-template', 'broadcasts.view', '200 400 401 403 404'],
	['GET /flows', 'flows.view', '200 401 403'],
	['POST /flows/trigger', 'flows.manage', '200 400 401 403 404 429'],
	['GET /tickets', 'tickets.view', '200 401 403', [20, 200]],
	['POST /tickets', 'tickets.manage', '200 400 401 403 429'],
	['GET /tickets/{id}', 'tickets.view', '200 401 403 404'],
	['PUT /tickets/{id}', 'tickets.manage', '200 400 401 403 404 429'],
	['POST /tickets/{id}/notes', 'ticket_notes.manage', '200 401 403 404 429'],
	['GET /channels', 'settings.view', '200 401'],
	['GET /channels/{id}', 'settings.view', '200 401 404'],
	['GET /organization', 'settings.view', '200 401'],
	['GET /users', 'users.manage', '200 401 403'],
];

test('the contract has the 46 endpoints of the document, and each has a handler', () => {
	expect(endpoints).toHaveLength(46);
	const routes = endpoints.map(([route]) => route);
	expect(operations.map(({ route }) => route).toSorted()).toStrictEqual(routes.toSorted());
	expect(Object.keys(handlers).toSorted()).toStrictEqual(operations.map(({ id }) => id).toSorted());
});

test.each(endpoints)('%s is in the contract as in the document', (route, ...expected) => {
	const { permission, statuses, pageSize } = operations.find((one) => one.route === route)!;
	const sizes = pageSize ? [[pageSize.default, pageSize.cap]] : [];
	expect([permission, statuses.join(' '), ...sizes]).toStrictEqual(expected);
});
