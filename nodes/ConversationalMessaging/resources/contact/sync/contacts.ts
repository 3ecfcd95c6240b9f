import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../../api/pages';
import { recordOf } from '../../../api/record';
import { isRecord } from '../../../api/response';
import { textOf } from '../../../api/text';
import { comparableDigits, contactAddress } from '../../../parameters/phone';
import type { ExistingFields } from '../../shared/customFields';
import { fieldsIn, mentionsFields } from '../../shared/customFields';
import type { OperationContext } from '../../../runner/operationContext';
import type { Address } from '../address';

/** A contact of the service. */
export interface KnownContact {
	/** Undefined if the service does not return it. */
	id?: string;
	/** As the service returned it. */
	record: IDataObject;
	fields: ExistingFields;
	/** The IDs of its segments; undefined if the service does not return them. */
	segmentIds?: string[];
	/** Whether this run has created it: custom fields that the service does not return, it does not have. */
	isNew?: boolean;
}

/** The contact in a response, or in an envelope around a row of a list. */
export function contactIn(json: unknown): KnownContact {
	const { record, id } = recordOf(json, ['contact']);
	return { id, record, fields: fieldsIn(json), segmentIds: segmentIdsIn(record) };
}

/** All contacts of the service, and whether none is missing. */
export async function readContacts(
	context: OperationContext,
): Promise<{ contacts: KnownContact[]; isComplete: boolean }> {
	let isComplete = true;
	const onIncomplete = (count: number, total: number) => {
		isComplete = false;
		context.notify(
			`The list of contacts changed while being read: got ${count} of ${total}. Run it again later.`,
		);
	};
	const rows = await context.readPages({ rowsName: 'contacts', onIncomplete }, 200, 'all');
	return { contacts: knownContacts(rows), isComplete };
}

/** The contacts in the rows of a list, each once. */
export function knownContacts(rows: unknown[]): KnownContact[] {
	const all = rows.filter(isRecord).map((row) => contactIn({ data: row }));
	// Some services leave out a list without entries. If others show their fields, a contact without any has none.
	const areShown = all.some(({ fields }) => fields.isComplete);
	const seen = new Set<string>();
	return all.flatMap((contact) => {
		if (contact.id !== undefined && seen.has(contact.id)) return [];
		if (contact.id !== undefined) seen.add(contact.id);
		const hasNone =
			areShown && contact.fields.fields.length === 0 && !mentionsFields(contact.record);
		return [hasNone ? { ...contact, fields: { fields: [], isComplete: true } } : contact];
	});
}

/** The addresses of a contact, as they are compared: a phone number as its digits. */
export function addressOf({ record }: KnownContact): Address {
	return {
		waId: contactAddress(textOf(record.waId).trim()) || undefined,
		igId: textOf(record.igId).trim() || undefined,
	};
}

/** A WhatsApp ID as the number that is dialed: two IDs with one number are one WhatsApp account. */
export const comparableWaId = ({ waId }: Address): string | undefined =>
	waId === undefined ? undefined : comparableDigits(waId);

/** The values of a contact's custom field: none, one, or several if the contact has several such fields. */
export const fieldValues = ({ fields }: KnownContact, label: string): string[] =>
	fields.fields
		.filter((field) => field.label === label)
		.map(({ value }) => textOf(value).trim())
		.filter((value) => value !== '');

/**
 * The segments in a contact. The document says that lists include them, but not in which form: segments, memberships with
 * the segment or its ID, or IDs under that name. Anything else may be names.
 */
function segmentIdsIn({ segments, segmentIds }: IDataObject): string[] | undefined {
	const isIds = Array.isArray(segmentIds);
	const list: unknown = isIds ? segmentIds : segments;
	if (!Array.isArray(list)) return undefined;
	const ids = (list as unknown[]).map((entry) => {
		if (!isRecord(entry)) return isIds ? textOf(entry) || undefined : undefined;
		return textOf(entry.segmentId) || idOf(entry.segment) || idOf(entry);
	});
	return ids.every((id) => id !== undefined) ? ids : undefined;
}
