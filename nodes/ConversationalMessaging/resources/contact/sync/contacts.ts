import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { NO_FIELDS } from '../../../api/response/contact';
import { isRecord } from '../../../api/response/response';
import type { OperationContext } from '../../../runner/operationContext';
import { type KnownContact, contactIn } from '../knownContact';

export interface ContactList {
	contacts: KnownContact[];
	/** Whether they have their custom fields in the list. */
	showsFields: boolean;
	isComplete: boolean;
}

export async function readContacts(context: OperationContext): Promise<ContactList> {
	const { rows, gap } = await context.readList({ endpoint: 'GET /contacts' }, Infinity);
	if (gap)
		context.notify(
			shown`The list of contacts is incomplete, because ${gap.reason}. Run Sync again later.`,
		);
	const { contacts, showsFields } = await contactsIn(rows);
	return { contacts, showsFields, isComplete: gap === undefined };
}

/** The contacts in the rows of a list, each once. */
export async function contactsIn(
	rows: unknown[],
): Promise<Pick<ContactList, 'contacts' | 'showsFields'>> {
	const seen = new Set<string>();
	const contacts: KnownContact[] = [];
	for await (const row of inTurns(rows)) {
		if (!isRecord(row)) continue;
		const contact = contactIn({ data: row });
		if (contact.id !== undefined && seen.has(contact.id)) continue;
		if (contact.id !== undefined) seen.add(contact.id);
		contacts.push(contact);
	}
	// One of which nothing can be read shows none.
	const showsFields = contacts.some(
		({ fields: custom }) => custom && (custom.isComplete || custom.fields.length > 0),
	);
	// Some services leave out an empty list: a contact without one, among others that have it, has no custom fields.
	if (showsFields) for (const contact of contacts) contact.fields ??= NO_FIELDS;
	return { contacts, showsFields };
}
