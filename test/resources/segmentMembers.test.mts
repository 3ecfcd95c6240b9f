import { contactIdOfMember } from '../../nodes/ConversationalMessaging/api/response/contact.ts';

test.each<[row: unknown, id: string | undefined]>([
	[{ id: 'c1' }, 'c1'],
	[{ id: 7 }, '7'],
	[{ id: 'm1', contact: { id: 'c1' } }, 'c1'],
	[{ contact: { id: 'c1' } }, 'c1'],
	[{ id: 'm1', contactId: 'c1' }, 'c1'],
	[{ id: 'm1', contact_id: 'c1' }, 'c1'],
	[{ id: 'm1', contact: { id: 'x', contactId: 7 } }, '7'],
	[{ id: 'c1', contactId: '' }, 'c1'],
	[{ name: 'Ann' }, undefined],
	[{ id: 'm1', contact: {} }, undefined],
	[null, undefined],
])('the contact of the member %j has the ID %s', (row, id) => {
	expect(contactIdOfMember(row) || undefined).toBe(id);
});
