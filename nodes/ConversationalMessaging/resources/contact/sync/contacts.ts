import type { IDataObject } from 'n8n-workflow';
import type { CustomFields } from '../../../api/customFields';
import { customFieldsIn, NO_FIELDS } from '../../../api/customFields';
import { idOf } from '../../../api/pages';
import { recordOf } from '../../../api/record';
import { isRecord } from '../../../api/response';
import { textOf } from '../../../api/text';
import type { OperationContext } from '../../../runner/operationContext';
import type { Address } from '../address';

/** A contact of the service. */
export interface KnownContact {
	/** Undefined if the service does not return it. */
	id?: string;
	/** As the service returned it. */
	record: IDataObject;
	/** Both IDs may be missing: contacts of other channels have none. */
	address: Address;
	/** Undefined if the service does not show custom fields. */
	fields?: CustomFields;
	/** The IDs of its segments; undefined if the service does not return them. */
	segmentIds?: string[];
}

/** All contacts of the service. */
export interface ContactList {
	contacts: KnownContact[];
	/** Whether none is missing. */
	isComplete: boolean;
	/** Whether contacts have their custom fields in the list. */
	showsFields: boolean;
}

/** The contact in a response, or in an envelope around a row of a list. */
export function contactIn(json: unknown): KnownContact {
	const { record, id } = recordOf(json, ['contact']);
	const address = {
		waId: textOf(record.waId).trim() || undefined,
		igId: textOf(record.igId).trim() || undefined,
	};
	return { id, record, address, fields: customFieldsIn(json), segmentIds: segmentIdsIn(record) };
}

export async function readContacts(context: OperationContext): Promise<ContactList> {
	let isComplete = true;
	const onIncomplete = (reason: string) => {
		isComplete = false;
		context.notify(`The list of contacts is incomplete, because ${reason}. Run Sync again later.`);
	};
	const rows = await context.readPages({ rowsName: 'contacts', onIncomplete }, 200, 'all');
	return { ...contactsIn(rows), isComplete };
}

/** The contacts in the rows of a list, each once. */
export function contactsIn(rows: unknown[]): Omit<ContactList, 'isComplete'> {
	const seen = new Set<string>();
	const contacts = rows.filter(isRecord).flatMap((row) => {
		const contact = contactIn({ data: row });
		if (contact.id === undefined) return [contact];
		if (seen.has(contact.id)) return [];
		seen.add(contact.id);
		return [contact];
	});
	const showsFields = contacts.some(({ fields }) => fields !== undefined);
	// Some services leave out an empty list: a contact without one, among others that have it, has no custom fields.
	if (showsFields) for (const contact of contacts) contact.fields ??= NO_FIELDS;
	return { contacts, showsFields };
}

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
