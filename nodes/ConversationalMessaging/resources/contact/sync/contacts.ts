import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { NO_FIELDS } from '../../../api/response/contact';
import { isRecord, valueOf } from '../../../api/response/response';
import type { OperationContext } from '../../../runner/operationContext';
import { isSimilar } from '../../shared/customFields';
import type { KnownContact } from '../knownContact';
import { contactIn } from '../knownContact';
import type { MatchBy, SyncItem } from './item';

/** All contacts of the service. */
interface ContactList {
	contacts: KnownContact[];
	/** Whether none is missing. */
	isComplete: boolean;
}

/**
 * Reads all contacts, and checks that the items can be compared with them.
 *
 * @throws NodeOperationError if they cannot; nothing has been written by then
 */
export async function readContacts(
	context: OperationContext,
	matchBy: MatchBy,
	items: SyncItem[],
): Promise<ContactList> {
	let isComplete = true;
	const onIncomplete = (reason: string) => {
		isComplete = false;
		context.notify(
			shown`The list of contacts is incomplete, because ${reason}. Run Sync again later.`,
		);
	};
	const rows = await context.readPages({ rowsName: 'contacts', onIncomplete }, 200, Infinity);
	const { contacts, showsFields } = await contactsIn(rows);
	if (contacts.length > 0) {
		checkAddresses(context, matchBy, contacts);
		checkShown(context, matchBy, items, contacts);
		checkFields(context, matchBy, items, contacts, showsFields);
	}
	return { contacts, isComplete };
}

/** The contacts in the rows of a list, each once. */
export async function contactsIn(rows: unknown[]): Promise<{
	contacts: KnownContact[];
	/** Whether they have their custom fields in the list. */
	showsFields: boolean;
}> {
	const seen = new Set<string>();
	const contacts: KnownContact[] = [];
	for await (const row of inTurns(rows)) {
		if (!isRecord(row)) continue;
		const contact = contactIn({ data: row });
		if (contact.id !== undefined && seen.has(contact.id)) continue;
		if (contact.id !== undefined) seen.add(contact.id);
		contacts.push(contact);
	}
	const showsFields = contacts.some(({ fields }) => fields !== undefined);
	// Some services leave out an empty list: a contact without one, among others that have it, has no custom fields.
	if (showsFields) for (const contact of contacts) contact.fields ??= NO_FIELDS;
	return { contacts, showsFields };
}

/**
 * @throws NodeOperationError if no contact shows the ID that items are matched by, and one shows no ID at all: every item
 *   would be a new contact. Nothing has been written
 */
function checkAddresses(
	context: OperationContext,
	{ by }: MatchBy,
	contacts: KnownContact[],
): void {
	const hasId = ({ address }: KnownContact) =>
		address.waId !== undefined || address.igId !== undefined;
	const isShown =
		by === 'customField'
			? contacts.some(hasId)
			: contacts.some(({ address }) => address[by] !== undefined) || contacts.every(hasId);
	if (isShown) return;
	throw context.invalid(
		contacts.some(hasId)
			? shown`No contact in the service’s list shows ${by === 'igId' ? 'an Instagram ID' : 'a WhatsApp ID'}, so every item would be a new contact`
			: 'The service’s list of contacts shows neither a WhatsApp ID nor an Instagram ID, so every item would be a new contact',
		'Nothing was written. Use Contact → Create or Update instead, which finds a contact by its ID. The command check-service shows which keys a contact has.',
	);
}

/**
 * Checks whether the names of contacts can be compared, and the addresses that are not what items are matched by.
 *
 * @throws NodeOperationError if items have one that no contact shows, not even without a value: every run would write it
 *   again. Nothing has been written by then
 */
function checkShown(
	context: OperationContext,
	{ by }: MatchBy,
	items: SyncItem[],
	contacts: KnownContact[],
): void {
	const compared = new Set<string>();
	for (const { address, values } of items) {
		for (const { field, isCustom } of values) if (!isCustom) compared.add(field);
		if (by === 'customField')
			for (const field of ['waId', 'igId'] as const) if (address[field]) compared.add(field);
	}
	const isShown = (field: string) =>
		contacts.some(({ record }) => valueOf(record, field) !== undefined);
	const hidden = [...compared].find((field) => !isShown(field));
	if (hidden === undefined) return;
	throw context.invalid(
		shown`No contact in the service’s list shows ${hidden}, so it cannot be compared`,
		'Nothing was written. Remove it from the node, and set it with Contact → Create or Update. If no contact has one yet, set one with Contact → Update first.',
	);
}

/**
 * Checks whether custom fields can be compared, if the items have any.
 *
 * @throws NodeOperationError if the list of contacts does not show them, or contacts have the key field under another
 *   spelling only: every item would be a new contact. Nothing has been written by then
 */
function checkFields(
	context: OperationContext,
	matchBy: MatchBy,
	items: SyncItem[],
	contacts: KnownContact[],
	showsFields: boolean,
): void {
	const hasFields = items.some(({ values }) => values.some(({ isCustom }) => isCustom));
	if (!hasFields) return;
	if (!showsFields) {
		throw context.invalid(
			'The service’s list of contacts does not show custom fields, so they cannot be compared',
			'Nothing was written. Match by WhatsApp ID or Instagram ID, remove Custom Fields, and set them with Contact Field → Set. If no contact has a custom field yet, add one with Contact Field → Add first.',
		);
	}
	if (matchBy.by !== 'customField') return;
	const labels = new Set(
		contacts.flatMap(({ fields }) => (fields?.fields ?? []).map(({ label }) => label)),
	);
	const other = [...labels].find((label) => isSimilar(label, matchBy.label));
	if (other === undefined || labels.has(matchBy.label)) return;
	throw context.invalid(
		shown`Contacts have the field ${other}, but not ${matchBy.label}`,
		'Nothing was written. Enter Key Field Label as the service spells it.',
	);
}
