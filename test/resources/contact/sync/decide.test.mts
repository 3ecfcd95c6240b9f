/** What an item lists of its changes, and what cannot be changed. Which changes there are: test/engine/syncTables. */
import type { IDataObject } from 'n8n-workflow';
import {
	decide,
	type Decision,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/decide.ts';
import type { KnownContact } from '../../../../nodes/ConversationalMessaging/resources/contact/knownContact.ts';
import type { MatchBy } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import type { WantedValue } from '../../../../nodes/ConversationalMessaging/resources/contact/wantedValues.ts';
import type { Match } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { contact, item, wanted, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const own = (field: string, text: string) => wanted(field, text, { isCustom: false });

const found = (record: IDataObject = {}): Match => ({
	kind: 'found',
	contact: contact('a', record),
});

describe('the decision for an item', () => {
	const address = { waId: '1' };
	const withoutId: KnownContact = {
		...{ id: undefined, address: {}, fields: undefined },
		record: { name: 'Ann' },
	};
	const missing = (field: string, to: string) => ({ field, isCustom: false, from: null, to });
	const added = (field: string, to: string) => ({ field, isCustom: true, from: null, to });
	test.each<[what: string, values: WantedValue[], match: Match, decision: Decision]>([
		[
			'that matches, whose contact has no ID, is that nothing changes',
			[own('name', 'Ann')],
			{ kind: 'found', contact: withoutId },
			{ outcome: { result: 'unchanged', changes: [] } },
		],
		[
			'that differs is an update',
			[own('name', 'Bea'), wanted('City', '')],
			found({ ...withFields({ City: 'Rome' }) }),
			{
				outcome: {
					result: 'updated',
					contactId: 'a',
					changes: [
						{ field: 'name', from: null, to: 'Bea' },
						{ customField: 'City', from: 'Rome', to: null },
					],
				},
				action: {
					kind: 'update',
					contactId: 'a',
					differences: [
						missing('name', 'Bea'),
						{ field: 'City', isCustom: true, from: 'Rome', to: '', fieldId: 'id of City' },
					],
				},
			},
		],
		[
			'that differs, whose contact has no ID, is a conflict',
			[own('name', 'Bea')],
			{ kind: 'found', contact: withoutId },
			{
				outcome: {
					result: 'conflict',
					reason: 'The contact differs, but the service does not return its ID',
					changes: [],
				},
			},
		],
		[
			'without a contact is a new one, completed after it was created',
			[own('name', 'Ann'), own('customName', 'A'), own('igUsername', ''), wanted('City', 'Rome')],
			{ kind: 'new' },
			{
				outcome: {
					result: 'created',
					changes: [
						{ field: 'waId', from: null, to: '1' },
						{ field: 'name', from: null, to: 'Ann' },
						{ field: 'customName', from: null, to: 'A' },
						{ customField: 'City', from: null, to: 'Rome' },
					],
				},
				action: {
					kind: 'create',
					body: { name: 'Ann', waId: '1' },
					rest: [missing('customName', 'A'), added('City', 'Rome')],
				},
			},
		],
	])('%s', (_name, values, match, decision) => {
		expect(decide(item('1', { address, values }), match, byWaId)).toEqual(decision);
	});
});

describe('a contact that cannot be made to match', () => {
	const values = [wanted('City', 'Paris')];
	test.each<[what: string, record: IDataObject, conflict: RegExp]>([
		[
			'has the field without an ID',
			{ customFields: [{ label: 'City', value: 'Rome' }] },
			/does not return its ID\. Use Contact Field → Update/,
		],
		[
			'shows no custom fields',
			{ customFields: undefined },
			/^It is unknown whether the contact has a field City/,
		],
	])('%s', (_name, record, conflict) => {
		expect(decide(item('1', { values }), found(record), byWaId)).toStrictEqual({
			outcome: {
				result: 'conflict',
				contactId: 'a',
				changes: [],
				reason: expect.stringMatching(conflict),
			},
		});
	});

	test('is unchanged if it already has the value, without an ID', () => {
		const match = found({ customFields: [{ label: 'City', value: 'Paris' }] });
		expect(decide(item('1', { values }), match, byWaId).outcome.result).toBe('unchanged');
	});
});
