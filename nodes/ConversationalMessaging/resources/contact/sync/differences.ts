import { withoutUndefined } from '../../../parameters/values';
import { addressOf, comparableWaId, type KnownContact } from './contacts';
import type { SyncItem } from './item';
import { otherSpelling } from './labels';
import type { MatchBy } from './match';
import { isSameValue } from './values';

/** A value of a contact that differs from the item's. */
export interface Difference {
	/** A name of the service, e.g. "customName", or the label of a custom field. */
	field: string;
	isCustom: boolean;
	/** What the contact has; null for nothing. */
	from: unknown;
	/** What it is to have; empty for nothing. */
	to: string;
	/** The ID of an existing custom field; undefined if the contact does not have the field. */
	fieldId?: string;
}

export interface Comparison {
	differences: Difference[];
	/** Why the contact cannot be made to match the item. */
	conflict?: string;
	/** Whether a response with the contact alone may show what this one does not. */
	isUncertain?: boolean;
}

/**
 * Compares a contact with what its item says. Its addresses are compared only if something else identifies the contact:
 * otherwise the service found it by them.
 *
 * @param labels those of the service's contacts, from `labelsOf`
 */
export function compare(
	item: SyncItem,
	contact: KnownContact,
	matchBy: MatchBy,
	labels: ReadonlySet<string>,
): Comparison {
	const differences = matchBy.by === 'customField' ? addressDifferences(item, contact) : [];
	for (const wanted of item.values) {
		const { field, isCustom, text: to } = wanted;
		if (!isCustom) {
			const from = contact.record[field] ?? null;
			if (!isSameValue(wanted, from)) differences.push({ field, isCustom, from, to });
			continue;
		}
		const same = contact.fields.fields.filter(({ label }) => label === field);
		const [existing] = same;
		if (same.length > 1) {
			const conflict = `The contact has ${same.length} fields with the label ${field}. Delete all but one`;
			return { differences, conflict };
		}
		if (!existing) {
			if (!contact.fields.isComplete) {
				const conflict = `It is unknown whether the contact has a field ${field}: the service does not return all of its custom fields`;
				return { differences, conflict, isUncertain: true };
			}
			const other = otherSpelling(field, contact.fields.fields, labels);
			if (other !== undefined) {
				const conflict = `The contact has the field ${other}, but not ${field}. Enter the label as the service spells it`;
				return { differences, conflict };
			}
			if (to !== '') differences.push({ field, isCustom, from: null, to });
			continue;
		}
		const from = existing.value ?? null;
		if (isSameValue(wanted, from)) continue;
		if (existing.id === undefined) {
			const conflict = `The contact has a field ${field}, but the service does not return its ID`;
			return { differences, conflict, isUncertain: true };
		}
		differences.push({ field, isCustom, from, to, fieldId: existing.id });
	}
	return { differences };
}

/** Whether a contact is known to match its item. */
export function isUnchanged(
	item: SyncItem,
	contact: KnownContact,
	matchBy: MatchBy,
	labels: ReadonlySet<string>,
): boolean {
	const { differences, conflict } = compare(item, contact, matchBy, labels);
	return differences.length === 0 && conflict === undefined;
}

/** A contact that has nothing. */
export const NO_CONTACT: KnownContact = { record: {}, fields: { fields: [], isComplete: true } };

/** Everything that an item says, for a new contact. */
export const differencesForNew = (item: SyncItem, matchBy: MatchBy): Difference[] => [
	...(matchBy.by === 'customField' ? [] : addressDifferences(item, NO_CONTACT)),
	...compare(item, NO_CONTACT, matchBy, new Set()).differences,
];

/** An address that the item does not have stays unchanged, and so does the same number in another spelling. */
function addressDifferences({ address }: SyncItem, contact: KnownContact): Difference[] {
	const known = addressOf(contact);
	const hasNumber = comparableWaId(known) === comparableWaId(address);
	return Object.entries(withoutUndefined({ ...address }))
		.filter(([field, to]) => (field === 'waId' ? !hasNumber : known.igId !== to))
		.map(([field, to]) => {
			const from = contact.record[field] ?? null;
			return { field, isCustom: false, from, to: to as string };
		});
}
