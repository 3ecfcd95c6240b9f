/** The members of a segment: in which forms they are found, and how they are added and removed. */
import { contactIdOfMember } from '../../nodes/ConversationalMessaging/api/response/contact.ts';
import { memberRequests } from '../../nodes/ConversationalMessaging/resources/shared/segmentMembers.ts';

test.each<[row: unknown, id: string | undefined]>([
	[{ id: 'c1' }, 'c1'],
	[{ id: 7 }, '7'],
	[{ id: 'm1', contact: { id: 'c1' } }, 'c1'],
	[{ id: 'm1', contactId: 'c1' }, 'c1'],
	[{ id: 'm1', contact: { id: 'x', contactId: 7 } }, '7'],
	[{ id: 'c1', contactId: '' }, 'c1'],
	[{ name: 'Ann' }, undefined],
	[{ id: 'm1', contact: {} }, undefined],
	[null, undefined],
])('the contact of the member %j has the ID %s', (row, id) => {
	expect(contactIdOfMember(row) || undefined).toBe(id);
});

test.each([
	[1, [1]],
	[500, [500]],
	[501, [500, 1]],
	[1_001, [500, 500, 1]],
])('%i contacts are added with requests of %j', (count, sizes) => {
	const ids = Array.from({ length: count }, (_, n) => `c${n}`);
	const requests = memberRequests(ids);
	expect(requests.map(({ length }) => length)).toStrictEqual(sizes);
	expect(requests.flat()).toStrictEqual(ids);
});
