import type { IDataObject } from 'n8n-workflow';
import { contactsIn } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import { contact } from './items.mts';

describe('a row of the list', () => {
	test.each([
		['directly', { id: 'a', waId: '1' }],
		['under its name', { contact: { id: 'a', waId: '1' } }],
		['with a number as its ID', { id: 7, waId: '1' }, '7'],
		['with another name of its ID', { contactId: 'a', waId: '1' }],
	] as [string, IDataObject, string?][])('its contact is found %s', (_name, row, id = 'a') => {
		const [found] = contactsIn([row]).contacts;
		expect(found).toMatchObject({ id, record: { waId: '1' } });
	});

	test('anything that is no contact is left out, and so is a contact that occurs twice', () => {
		const rows = [null, 'x', 7, [], { id: 'a' }, { id: 'b' }, { id: 'a', name: 'again' }];
		expect(contactsIn(rows).contacts.map(({ id }) => id)).toStrictEqual(['a', 'b']);
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
	])('%s', (_what, rows, showsFields, ofLast) => {
		const list = contactsIn(rows);
		expect([list.showsFields, list.contacts.at(-1)!.fields]).toStrictEqual([showsFields, ofLast]);
	});
});

describe('segments', () => {
	test.each([
		['records', { segments: [{ id: 's', name: 'Newsletter' }] }, ['s']],
		['memberships with the segment', { segments: [{ id: 'm', segment: { id: 's' } }] }, ['s']],
		['memberships with its ID', { segments: [{ id: 'm', segmentId: 's' }] }, ['s']],
		['IDs', { segmentIds: ['s', 7] }, ['s', '7']],
		['none', { segments: [] }, []],
		['names', { segments: ['Newsletter'] }, undefined],
		['nothing', {}, undefined],
	] as [string, IDataObject, string[] | undefined][])('%s', (_name, record, ids) => {
		expect(contact('a', record).segmentIds).toStrictEqual(ids);
	});
});

test.each([
	[{ waId: '12025550143', igId: null }, { waId: '12025550143' }],
	[{ waId: ' +1 (202) 555-0143 ' }, { waId: '+1 (202) 555-0143' }],
	[{ waId: 'US.13491208655302741918' }, { waId: 'US.13491208655302741918' }],
	[{ waId: '', igId: ' 17841400000000001 ' }, { igId: '17841400000000001' }],
])('the addresses of %j are %j', (record, address) => {
	expect(contact('a', record as IDataObject).address).toEqual(address);
});
