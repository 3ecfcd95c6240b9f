import type { IDataObject } from 'n8n-workflow';
import { contactsIn } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import { contact } from './items.mts';

describe('a row of the list', () => {
	test.each([
		['directly', { id: 'a', waId: '1' }],
		['under its name', { contact: { id: 'a', waId: '1' } }],
		['with a number as its ID', { id: 7, waId: '1' }, '7'],
		['with another name of its ID', { contactId: 'a', waId: '1' }],
	] as [string, IDataObject, string?][])(
		'its contact is found %s',
		async (_name, row, id = 'a') => {
			const [found] = (await contactsIn([row])).contacts;
			expect(found).toMatchObject({ id, record: { waId: '1' } });
		},
	);

	test('anything that is no contact is left out, and so is a contact that occurs twice', async () => {
		const rows = [null, 'x', 7, [], { id: 'a' }, { id: 'b' }, { id: 'a', name: 'again' }];
		expect((await contactsIn(rows)).contacts.map(({ id }) => id)).toStrictEqual(['a', 'b']);
	});
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
	])('%s', async (_what, rows, showsFields, ofLast) => {
		const list = await contactsIn(rows);
		expect([list.showsFields, list.contacts.at(-1)!.fields]).toStrictEqual([showsFields, ofLast]);
	});
});

test.each([
	[{ waId: '12025550143', igId: null }, { waId: '12025550143' }],
	[{ waId: ' +1 (202) 555-0143 ' }, { waId: '+1 (202) 555-0143' }],
	[{ waId: 'US.13491208655302741918' }, { waId: 'US.13491208655302741918' }],
	[{ waId: '', igId: ' 17841400000000001 ' }, { igId: '17841400000000001' }],
	[
		{ wa_id: '12025550143', ig_id: 17841400000000 },
		{ waId: '12025550143', igId: '17841400000000' },
	],
	// Other names are no addresses.
	[{ WAID: '1', phone: '2', whatsappId: '3', instagramId: '4', igUsername: '5' }, {}],
	[{ waId: { id: '1' }, igId: ['2'] }, {}],
	[{}, {}],
])('the addresses of %j are %j', (record, address) => {
	expect(contact('a', record as IDataObject).address).toEqual(address);
});
