import { shown } from '../../api/access/shown';
import { valueOf } from '../../api/response/response';
import { findField, type Refusal } from '../shared/customFields';
import type { KnownContact } from './knownContact';
import { type WantedValue, isSameValue } from './wantedValues';

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

/** The values that differ, or why the contact cannot be made to have them, and what to do. */
export function valueDifferences(
	values: WantedValue[],
	contact: Pick<KnownContact, 'record' | 'fields'>,
): { differences: Difference[] } | Refusal {
	const differences: Difference[] = [];
	for (const { field, isCustom, text: to } of values) {
		if (!isCustom) {
			const from = valueOf(contact.record, field) ?? null;
			if (!isSameValue(to, from)) differences.push({ field, isCustom, from, to });
			continue;
		}
		const search = findField(contact.fields, field);
		if ('reason' in search) return search;
		const from = search.field?.value ?? null;
		if (isSameValue(to, from)) continue;
		if (search.field && search.field.id === undefined) {
			return {
				reason: shown`The contact has a field ${field}, but the service does not return its ID`,
				step: shown`Use Contact Field → Update with the ID of the field.`,
			};
		}
		differences.push({ field, isCustom, from, to, fieldId: search.field?.id });
	}
	return { differences };
}
