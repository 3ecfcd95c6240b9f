import { contactKey } from '../../../parameters/address';
import { NO_FIELDS } from '../../../api/customFields';
import { findField } from '../../shared/customFields';
import type { KnownContact } from './contacts';
import type { MatchBy, SyncItem } from './item';
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
}

/**
 * Compares a contact with what its item says. Its addresses are compared only if something else identifies the contact:
 * otherwise it was found by them.
 */
export function compare(item: SyncItem, contact: KnownContact, matchBy: MatchBy): Comparison {
	const differences = matchBy.by === 'customField' ? addressDifferences(item, contact) : [];
	for (const wanted of item.values) {
		const { field, isCustom, text: to } = wanted;
		if (!isCustom) {
			const from = contact.record[field] ?? null;
			if (!isSameValue(wanted, from)) differences.push({ field, isCustom, from, to });
			continue;
		}
		const search = findField(contact.fields, field);
		if ('reason' in search)
			return { differences, conflict: `${search.reason}. ${search.step.replace(/\.$/, '')}` };
		const from = search.field?.value ?? null;
		if (isSameValue(wanted, from)) continue;
		if (search.field && search.field.id === undefined) {
			const conflict = `The contact has a field ${field}, but the service does not return its ID`;
			return { differences, conflict };
		}
		differences.push({ field, isCustom, from, to, fieldId: search.field?.id });
	}
	return { differences };
}

/** What a new contact gets: its addresses and values. */
export const differencesForNew = (item: SyncItem): Difference[] => [
	...addressDifferences(item, NO_CONTACT),
	...compare(item, NO_CONTACT, { by: 'waId' }).differences,
];

const NO_CONTACT: KnownContact = { record: {}, address: {}, fields: NO_FIELDS };

/** An address that the item does not have stays unchanged, and so does the same number in another form. */
function addressDifferences({ address }: SyncItem, contact: KnownContact): Difference[] {
	const key = (id = '') => contactKey(id);
	const differences: Difference[] = [];
	const add = (field: string, to: string) =>
		differences.push({ field, isCustom: false, from: contact.record[field] ?? null, to });
	const { waId, igId } = address;
	if (waId !== undefined && key(waId) !== key(contact.address.waId)) add('waId', waId);
	if (igId !== undefined && igId !== contact.address.igId) add('igId', igId);
	return differences;
}
