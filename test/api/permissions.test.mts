import { readContract, routesOf } from '../../sandbox/contract.mts';
import {
	isPlainPath,
	permissionIn,
	permissionOf,
	type Endpoint,
} from '../../nodes/ConversationalMessaging/api/permissions.ts';

const routes = [...routesOf(readContract()).values()];

test('every endpoint of the contract needs the permission in the permission matrix', () => {
	expect(routes).toHaveLength(46);
	for (const { name, permission } of routes)
		expect([name, permissionOf(name as Endpoint)]).toEqual([name, permission]);
});

test.each([
	['Missing permission: chats.reply', 'chats.reply'],
	['{"permission":"ticket_notes.manage"}', 'ticket_notes.manage'],
	['You need contacts.view or contacts.edit', 'contacts.view'],
	['Missing permission', undefined],
	['See docs.viewer', undefined],
	['contacts.viewer', undefined],
	['users.send', undefined],
	['', undefined],
])('in the text %j, the permission that is found is %s', (text, permission) => {
	expect(permissionIn(text)).toBe(permission);
});

test.each([
	['/contacts/export', true],
	['/contacts', true],
	['/broadcasts/csv-template', true],
	['/contacts/cm4k2w8qx0001', false],
	['/contacts/export/', false],
	['GET /contacts', false],
	['', false],
])('the path %j is that of an endpoint without placeholders: %j', (path, isPlain) => {
	expect(isPlainPath(path)).toBe(isPlain);
});
