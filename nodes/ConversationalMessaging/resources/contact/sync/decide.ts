import type { IDataObject } from 'n8n-workflow';
import { NO_FIELDS } from '../../../api/customFields';
import { contactKey } from '../../../parameters/address';
import { withoutUndefined } from '../../../parameters/values';
import { findField } from '../../shared/customFields';
import type { KnownContact } from './contacts';
import type { MatchBy, SyncItem } from './item';
import type { Match } from './match';
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

/** What a contact needs so that it matches its item. */
export type Decision =
	| { kind: 'unchanged'; contactId?: string; segmentIds?: string[] }
	/** Nothing is done, because a person has to decide. `contactId`: that of the only contact that may be the item's. */
	| { kind: 'conflict'; reason: string; contactId?: string }
	| Action;

/** What is sent to the service. */
export type Action =
	| { kind: 'update'; contactId: string; segmentIds?: string[]; differences: Difference[] }
	| {
			kind: 'create';
			/** The request. */
			body: IDataObject;
			differences: Difference[];
			/** Those that creating cannot set: names besides the name, and custom fields. */
			rest: Difference[];
	  };

export const isAction = (decision: Decision): decision is Action =>
	decision.kind === 'update' || decision.kind === 'create';

/** Decides what to do for an item. The same for a dry run, which ends here. */
export function decide(item: SyncItem, match: Match, matchBy: MatchBy): Decision {
	if (match.kind === 'conflict') return match;
	if (match.kind === 'new') return creation(item);
	const { id: contactId, segmentIds } = match.contact;
	const { differences, conflict } = compare(item, match.contact, matchBy);
	if (conflict !== undefined) return { kind: 'conflict', reason: conflict, contactId };
	if (differences.length === 0) return { kind: 'unchanged', contactId, segmentIds };
	if (contactId !== undefined) return { kind: 'update', contactId, segmentIds, differences };
	const reason = 'The contact differs, but the service does not return its ID';
	return { kind: 'conflict', reason };
}

/** A new contact gets its addresses and values. What is empty is nothing to set. */
function creation(item: SyncItem): Action {
	const body = withoutUndefined({ name: item.name, ...item.address });
	const differences = [
		...addressDifferences(item, NO_CONTACT),
		...compare(item, NO_CONTACT, { by: 'waId' }).differences,
	];
	const rest = differences.filter(
		({ field, isCustom, to }) => to !== '' && (isCustom || !(field in body)),
	);
	return { kind: 'create', body, differences, rest };
}

const NO_CONTACT: KnownContact = { record: {}, address: {}, fields: NO_FIELDS };

/**
 * Compares a contact with what its item says. Its addresses are compared only if something else identifies the contact:
 * otherwise it was found by them.
 *
 * @returns what differs, or why the contact cannot be made to match
 */
function compare(
	item: SyncItem,
	contact: KnownContact,
	matchBy: MatchBy,
): { differences: Difference[]; conflict?: string } {
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
