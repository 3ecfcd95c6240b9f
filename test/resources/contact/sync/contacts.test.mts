import type { IDataObject } from 'n8n-workflow';
import {
	addressOf,
	contactIn,
	fieldValues,
	knownContacts,
	readContacts,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/contacts.ts';
import { OperationContext } from '../../../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { serviceOf } from '../../../api/service.mts';
import { contact, withFields } from './items.mts';

describe('a row of the list', () => {
	test.each([
		['directly', { id: 'a', waId: '1' }],
		['under its name', { contact: { id: 'a', waId: '1' } }],
		['with a number as its ID', { id: 7, waId: '1' }, '7'],
		['with another name of its ID', { contactId: 'a', waId: '1' }],
	] as [string, IDataObject, string?][])('its contact is found %s', (_name, row, id = 'a') => {
		const [found] = knownContacts([row]);
		expect(found).toMatchObject({ id, record: { waId: '1' } });
	});

	test('anything that is no contact is left out, and so is a contact that occurs twice', () => {
		const rows = [null, 'x', 7, [], { id: 'a' }, { id: 'b' }, { id: 'a', name: 'again' }];
		expect(knownContacts(rows).map(({ id }) => id)).toEqual(['a', 'b']);
		expect(knownContacts(rows)).toHaveLength(2);
	});

	test('contacts without IDs are all kept', () => {
		expect(knownContacts([{ waId: '1' }, { waId: '1' }])).toHaveLength(2);
	});
});

describe('custom fields', () => {
	const field = { label: 'City', value: 'Rome' };
	test.each([
		['a list of records', { customFields: [{ id: 'f', ...field }] }],
		['a list of keys and values', { customFields: [{ id: 'f', key: 'City', value: 'Rome' }] }],
		[
			'nested records',
			{ fields: { data: [{ fieldId: 'f', value: 'Rome', field: { label: 'City' } }] } },
		],
		['a map by label', { customFields: { City: { id: 'f', value: 'Rome' } } }],
		['a map of values', { customFields: { City: 'Rome' } }],
		['a map by ID', { customFields: { cm4k2w8qx0001v8l4a1b2c3d4: field } }],
		[
			'records next to a wrapped contact',
			{ contact: { id: 'a' }, customFields: [{ id: 'f', ...field }] },
		],
	] as [string, IDataObject][])('%s are read', (_name, record) => {
		expect(fieldValues(contactIn({ data: { id: 'a', ...record } }), 'City')).toEqual(['Rome']);
	});

	test('a contact without a list has none if other contacts show theirs', () => {
		const [shown, leftOut] = knownContacts([{ id: 'a', customFields: [] }, { id: 'b' }]);
		expect([shown!.fields, leftOut!.fields]).toEqual([
			{ fields: [], isComplete: true },
			{ fields: [], isComplete: true },
		]);
	});

	test('a contact with fields under another name keeps them', () => {
		const [, other] = knownContacts([
			{ id: 'a', customFields: [] },
			{ id: 'b', attributes: [{ id: 'f', label: 'City', value: 'Rome' }] },
		]);
		expect(fieldValues(other!, 'City')).toEqual(['Rome']);
	});

	test.each([
		['no contact shows any', [{ id: 'a' }, { id: 'b' }], 1],
		[
			'its list is in an unknown form',
			[
				{ id: 'a', customFields: [] },
				{ id: 'b', customFields: 'x' },
			],
			1,
		],
	] as [string, IDataObject[], number][])('they are unknown if %s', (_name, rows, position) => {
		expect(knownContacts(rows)[position]!.fields.isComplete).toBe(false);
	});

	test('several fields with one label, and values without text', () => {
		const twice = {
			customFields: [
				{ id: '1', label: 'No', value: 7 },
				{ id: '2', label: 'No', value: 'x' },
				{ id: '3', label: 'No', value: null },
				{ id: '4', label: 'Other', value: 'y' },
			],
		};
		expect(fieldValues(contact('a', twice), 'No')).toEqual(['7', 'x']);
		expect(fieldValues(contact('a', withFields({ City: ' ' })), 'City')).toEqual([]);
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
		['records without IDs', { segments: [{ name: 'Newsletter' }] }, undefined],
		['a count', { segments: 3 }, undefined],
		['nothing', {}, undefined],
	] as [string, IDataObject, string[] | undefined][])('%s', (_name, record, ids) => {
		expect(contact('a', record).segmentIds).toEqual(ids);
	});
});

test.each([
	[{ waId: '12025550143', igId: null }, { waId: '12025550143' }],
	[{ waId: '+1 (202) 555-0143' }, { waId: '12025550143' }],
	[{ waId: 12025550143 }, { waId: '12025550143' }],
	[{ waId: ' unknown ' }, { waId: 'unknown' }],
	[{ waId: '', igId: ' 17841400000000001 ' }, { igId: '17841400000000001' }],
	[{ waId: {}, igId: [] }, {}],
	[{}, {}],
])('the addresses of %j are %j', (record, address) => {
	expect(addressOf(contact('a', record as IDataObject))).toEqual(address);
});

describe('reading all contacts', () => {
	const read = async (...pages: object[]) => {
		const { client, queries, notices } = serviceOf(({ page }) => pages[Number(page) - 1]);
		const context = new OperationContext(client, { endpoint: 'GET /contacts', action: 'Sync' });
		return { ...(await readContacts(context)), queries, notices };
	};

	test('reads every page', async () => {
		const { contacts, isComplete, queries, notices } = await read(
			{
				data: { contacts: Array.from({ length: 200 }, (_, id) => ({ id })) },
				meta: { total: 201 },
			},
			{ data: { contacts: [{ id: 'last' }] }, meta: { total: 201 } },
		);
		expect(contacts).toHaveLength(201);
		expect(isComplete).toBe(true);
		expect(queries.map(({ limit }) => limit)).toEqual(['200', '200']);
		expect(notices).toEqual([]);
	});

	test('notices that contacts are missing', async () => {
		const { contacts, isComplete, notices } = await read({
			data: { contacts: [{ id: 'a' }] },
			meta: { total: 2 },
		});
		expect(contacts).toHaveLength(1);
		expect(isComplete).toBe(false);
		expect(notices).toEqual([
			'The list of contacts changed while being read: got 1 of 2. Run it again later.',
		]);
	});
});
