import { readContract, routesOf } from '../../sandbox/contract.mts';
import {
	permissionIn,
	permissionOf,
	type Endpoint,
} from '../../nodes/ConversationalMessaging/api/endpoint.ts';

test('every endpoint of the contract needs the permission in the permission matrix', () => {
	const routes = [...routesOf(readContract()).values()];
	expect(routes).not.toHaveLength(0);
	for (const { name, permission } of routes)
		expect([name, permissionOf(name as Endpoint)]).toStrictEqual([name, permission]);
});

test.each([
	['Missing permission: chats.reply', 'chats.reply'],
	['{"permission":"ticket_notes.manage"}', 'ticket_notes.manage'],
	['You need contacts.view or contacts.edit', 'contacts.view'],
	['See docs.viewer', undefined],
	['contacts.viewer', undefined],
	[`${' '.repeat(16_384)}contacts.view`, undefined],
])('in the text %j, the permission that is found is %s', (text, permission) => {
	expect(permissionIn(text)).toBe(permission);
});
