import type { IDataObject } from 'n8n-workflow';
import { withoutUndefined } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import { type Difference, valueDifferences } from '../differences';
import type { KnownContact } from '../knownContact';
import type { MatchBy, SyncItem } from './item';
import type { Match } from './match';
import type { ChangedValue, SyncOutcome } from './outcomes';

/** What to do for an item. A dry run ends with it. */
export interface Decision {
	outcome: SyncOutcome;
	/** What it takes; undefined if there is nothing to do, or a person has to decide. */
	action?: Action;
}

type Action =
	| { kind: 'update'; contactId: string; differences: Difference[] }
	/**
	 * @property body of the request
	 * @property rest what creating cannot set: names besides the name, and custom fields
	 */
	| { kind: 'create'; body: IDataObject; rest: Difference[] };

export const conflictOutcome = (reason: string, contactId?: string): SyncOutcome => ({
	result: 'conflict',
	contactId,
	changes: [],
	reason,
});

export function decide(item: SyncItem, match: Match, matchBy: MatchBy): Decision {
	if (match.kind === 'conflict') return { outcome: conflictOutcome(match.reason, match.contactId) };
	if (match.kind === 'new') return creation(item);
	const { contact } = match;
	const { id: contactId } = contact;
	const values = valueDifferences(item.values, contact);
	if ('reason' in values) {
		const reason = `${String(values.reason)}. ${String(values.step).replace(/\.$/, '')}`;
		return { outcome: conflictOutcome(reason, contactId) };
	}
	// Otherwise, it was found by its address.
	const addresses = matchBy.by === 'customField' ? addressDifferences(item, contact) : [];
	const differences = [...addresses, ...values.differences];
	const known = { contactId, changes: toChanges(differences) };
	if (differences.length === 0) return { outcome: { result: 'unchanged', ...known } };
	if (contactId === undefined) {
		const reason = 'The contact differs, but the service does not return its ID';
		return { outcome: conflictOutcome(reason) };
	}
	const action: Action = { kind: 'update', contactId, differences };
	return { outcome: { result: 'updated', ...known }, action };
}

/** A new contact gets its addresses and values. An empty value does not differ from nothing. */
function creation(item: SyncItem): Decision {
	const body = withoutUndefined({ name: item.name, ...item.address });
	const values = item.values.filter(({ text }) => text !== '');
	const differences: Difference[] = [
		...addressDifferences(item, { record: {}, address: {} }),
		...values.map(({ field, isCustom, text }) => ({ field, isCustom, from: null, to: text })),
	];
	const rest = differences.filter(({ field, isCustom }) => isCustom || !(field in body));
	const outcome: SyncOutcome = { result: 'created', changes: toChanges(differences) };
	return { outcome, action: { kind: 'create', body, rest } };
}

const toChanges = (differences: Difference[]): ChangedValue[] =>
	differences.map(({ field, isCustom, from, to }) => ({
		...(isCustom ? { customField: field } : { field }),
		from: from as IDataObject[string],
		to: to === '' ? null : to,
	}));

/** An address that the item does not have stays unchanged, and so does another variant of the same number. */
function addressDifferences({ address }: SyncItem, contact: KnownContact): Difference[] {
	const key = (id = '') => customerId(id).key;
	const differences: Difference[] = [];
	const add = (field: 'waId' | 'igId', to: string) =>
		differences.push({ field, isCustom: false, from: contact.address[field] ?? null, to });
	const { waId, igId } = address;
	if (waId !== undefined && key(waId) !== key(contact.address.waId)) add('waId', waId);
	if (igId !== undefined && igId !== contact.address.igId) add('igId', igId);
	return differences;
}
