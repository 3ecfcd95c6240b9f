import { readContract, routesOf } from '../../sandbox/contract.mts';
import {
	ENDPOINTS,
	pagingOf,
	permissionIn,
	permissionOf,
	type Endpoint,
	type ListEndpoint,
} from '../../nodes/ConversationalMessaging/api/endpoint.ts';

test('the table of endpoints has the permissions and the largest pages of the contract, and no other endpoint', () => {
	const expected = [...routesOf(readContract()).values()].map(({ name, permission, pageSize }) => [
		name,
		permission,
		pageSize?.cap,
	]);
	const table = (Object.keys(ENDPOINTS) as Endpoint[]).map((name) => {
		const { pages, take, limit } = pagingOf(name as ListEndpoint);
		// Its limit is approximate, so the contract has no page of templates.
		const page = name === 'GET /templates' ? undefined : (pages ?? take ?? limit);
		return [name, permissionOf(name), page];
	});
	expect(table.toSorted()).toStrictEqual(expected.toSorted());
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
