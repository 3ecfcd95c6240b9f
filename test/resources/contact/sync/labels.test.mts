/** Labels of custom fields that a sync would get wrong: in another spelling than the service's, or in two. */
import {
	checkLabels,
	labelsOf,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/labels.ts';
import type { MatchBy } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/match.ts';
import { OperationContext } from '../../../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { clientWith } from '../../../api/service.mts';
import { contact, item, wanted, withFields } from './items.mts';

const byWaId: MatchBy = { by: 'waId' };
const byField: MatchBy = { by: 'customField', label: 'CRM ID' };

const context = new OperationContext(clientWith({}), {
	endpoint: 'GET /contacts',
	action: 'Sync contacts',
});

/** Checks items that have a value for each of these labels. */
const check = (labels: string[], known: string[], matchBy: MatchBy = byWaId) => {
	const items = labels.map((label) => item('1', { values: [wanted(label, 'x')] }));
	checkLabels(context, matchBy, items, new Set(known));
};

test('the labels of contacts are those of their custom fields, in the service’s spelling', () => {
	const contacts = [
		contact('a', withFields({ City: 'Rome', 'CRM ID': '1' })),
		contact('b', withFields({ City: 'Oslo', city: 'x' })),
		contact('c'),
	];
	expect([...labelsOf(contacts)]).toEqual(['City', 'CRM ID', 'city']);
});

test.each<[labels: string[], known: string[]]>([
	[[], ['City']],
	[['City'], ['City']],
	[['City', 'City'], []],
	[['City', 'Tier'], ['Age']],
	// Both are fields of the service.
	[
		['City', 'CITY'],
		['City', 'CITY'],
	],
])('the labels %j can be used where contacts have %j', (labels, known) => {
	expect(() => check(labels, known)).not.toThrow();
});

test.each([
	['city', 'City', byWaId, 'Custom Fields'],
	[' City', 'City', byWaId, 'Custom Fields'],
	['ＣＩＴＹ', 'City', byWaId, 'Custom Fields'],
	['Tier', 'TIER', byField, 'Custom Fields'],
	['CRM ID', 'crm id', byField, 'Key Field Label'],
	['CRM ID', 'crm id', byWaId, 'Custom Fields'],
])('%s is rejected if contacts have only %s (%j)', (label, known, matchBy, where) => {
	expect(() => check(['Age', label], ['Age', known], matchBy)).toThrow(
		expect.objectContaining({
			message: `Contacts have the field ${known}, but not ${label}`,
			description: `Enter the label under ${where} as the service spells it. Nothing was written.`,
		}),
	);
});

test('two spellings of a label that no contact has are rejected', () => {
	expect(() => check(['City', 'Tier', 'CITY'], ['Age'])).toThrow(
		expect.objectContaining({
			message: 'The labels City and CITY differ only in spelling',
			description: 'Use one label for both, or remove one. Nothing was written.',
		}),
	);
});

test('a name is no label', () => {
	const values = [wanted('name', 'Ann', { isCustom: false })];
	const check = () => checkLabels(context, byWaId, [item('1', { values })], new Set(['NAME']));
	expect(check).not.toThrow();
});
