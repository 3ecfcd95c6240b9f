import type { IDataObject } from 'n8n-workflow';
import { contactsIn } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import { contact } from './items.mts';

test('of the rows of a list, what is no contact is left out, and so is a contact that occurs twice', async () => {
	const rows = [null, 'x', 7, [], { id: 'a' }, { id: 'b' }, { id: 'a', name: 'again' }];
	expect((await contactsIn(rows)).contacts.map(({ id }) => id)).toStrictEqual(['a', 'b']);
});

describe('custom fields', () => {
	test.each<[what: string, rows: IDataObject[], showsFields: boolean, ofLast: unknown]>([
		['are not shown by any contact', [{ id: 'a' }, { id: 'b' }], false, undefined],
		[
			'that a contact leaves out, it does not have, if others show theirs',
			[{ id: 'a', customFields: [] }, { id: 'b' }],
			true,
			{ fields: [], isComplete: true },
		],
		[
			'in an unknown form are unknown',
			[
				{ id: 'a', customFields: [] },
				{ id: 'b', customFields: 'x' },
			],
			true,
			{ fields: [], isComplete: false },
		],
		[
			'in an unknown form at every contact are not shown',
			[{ id: 'a' }, { id: 'b', customFields: { city: 'Rome' } }],
			false,
			{ fields: [], isComplete: false },
		],
	])('%s', async (_what, rows, showsFields, ofLast) => {
		const list = await contactsIn(rows);
		expect([list.showsFields, list.contacts.at(-1)!.fields]).toStrictEqual([showsFields, ofLast]);
	});
});

test.each([
	[{ waId: ' +1 (202) 555-0143 ' }, { waId: '+1 (202) 555-0143' }],
	[{ waId: '', igId: ' 17841400000000001 ' }, { igId: '17841400000000001' }],
	[
		{ wa_id: '12025550143', ig_id: 17841400000000 },
		{ waId: '12025550143', igId: '17841400000000' },
	],
	// Other names are no addresses.
	[{ WAID: '1', phone: '2', whatsappId: '3', instagramId: '4', igUsername: '5' }, {}],
])('the addresses of %j are %j', (record, address) => {
	expect(contact('a', record as IDataObject).address).toEqual(address);
});
