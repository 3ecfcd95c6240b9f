import { type Shown, shown } from '../../api/access/shown';
import type { CustomField, CustomFields } from '../../api/response/contact';
import type { ServiceResponse } from '../../api/response/response';
import type { OperationContext } from '../../runner/operationContext';

/** Why something cannot be said or done, and what to do. */
export interface Refusal {
	reason: Shown;
	step: Shown;
}

/** The field of a contact with a label; `undefined` if it has none; or why that cannot be said. */
type FieldSearch = { field: CustomField | undefined } | Refusal;

/**
 * Finds the field with a label. Labels are compared exactly; a contact that has the field in another spelling only
 * would get a second one, so that is reported.
 */
export function findField(custom: CustomFields | undefined, label: string): FieldSearch {
	const { fields, isComplete } = custom ?? { fields: [], isComplete: false };
	const same = fields.filter((field) => field.label === label);
	if (same.length > 1) {
		const ids = same.map(({ id }) => id ?? 'no ID').join(', ');
		return {
			reason: shown`The contact has ${same.length} fields with the label ${label}`,
			step: shown`Delete all but one, or use Contact Field → Update with the ID of the field to change: ${ids}.`,
		};
	}
	if (same[0]) return { field: same[0] };
	const similar = fields.find((field) => isSimilar(field.label, label));
	if (similar) {
		return {
			reason: shown`The contact has the field ${similar.label}, but not ${label}`,
			step: shown`Enter the label as the service spells it.`,
		};
	}
	if (isComplete) return { field: undefined };
	return {
		reason: shown`It is unknown whether the contact has a field ${label}: the service does not return all of its custom fields`,
		step: shown`Use Contact Field → Add if the field is new, or Contact Field → Update with its ID.`,
	};
}

/**
 * Sets a field of a contact, or adds it.
 *
 * @param contactId the contact's own ID: the routes of fields accept no other
 * @param fieldId of the field that the contact has; undefined if it has none with this label
 */
export async function writeField(
	context: OperationContext,
	contactId: string,
	fieldId: string | undefined,
	body: { label: string; value: string },
): Promise<ServiceResponse> {
	if (fieldId === undefined)
		return await context.send({
			...{ endpoint: 'POST /contacts/{id}/fields', action: 'Add contact field' },
			...{ path: { id: contactId }, body },
		});
	return await context.send({
		...{ endpoint: 'PATCH /contacts/{id}/fields/{fieldId}', action: 'Update contact field' },
		...{ path: { id: contactId, fieldId }, body },
	});
}

/** Whether two labels differ at most in case and spaces. */
export const isSimilar = (one: string, other: string): boolean => spelling(one) === spelling(other);

/** The same for labels that differ at most in case and spaces. */
export const spelling = (label: string): string =>
	label.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
