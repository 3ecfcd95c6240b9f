import { withoutUndefined } from '../../../parameters/values';
import { addressForms, otherWhatsAppId } from '../../../parameters/phone';
import type { OperationContext } from '../../../runner/operationContext';
import type { Address } from '../address';
import type { KnownContact } from './contacts';
import { contactIn } from './contacts';
import type { Comparison, Difference } from './differences';
import { differencesForNew, compare } from './differences';
import type { SyncItem } from './item';
import { otherSpelling } from './labels';
import type { Match, MatchBy } from './match';
import { matchFound, otherWaId } from './match';
import type { Outcome } from './outcomes';
import { conflictOutcome, toChanges } from './outcomes';

/** What the requests for single contacts have in common. */
export interface SyncState {
	matchBy: MatchBy;
	dryRun: boolean;
	/** The labels of the custom fields in the list of contacts. */
	labels: ReadonlySet<string>;
	/** The IDs of the contacts in the list before anything was written. */
	listed: ReadonlySet<string>;
	/** The labels of the custom fields that an import has set on the contacts that it created. */
	imported: ReadonlySet<string>;
	/** The IDs of contacts that an item has already. */
	claimed: Set<string>;
	/** Whether the service finds a contact by another WhatsApp ID of its number, by country code; missing if unknown. */
	findsOtherWaId: Map<string, boolean>;
	/** Whether a single contact may show custom fields that the list does not. Until one has not. */
	singleReadShowsMore: boolean;
}

/** Makes the contact of an item match it. */
export async function syncContact(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	match: Match,
): Promise<Outcome> {
	if (match.kind === 'conflict') return conflictOutcome(match.reason, onlyId(match.contacts));
	if (match.kind === 'found') return await update(context, state, item, match.contact);
	if (match.kind === 'otherWaId') return await syncByOtherWaId(context, state, item, match);
	// Rows shift while a list is read, so a contact may be missing there.
	const found = await findByAddress(context, item.address);
	if (found.length > 0) return await updateUnlisted(context, state, item, found);
	const other = await findByOtherWaId(context, item);
	if (other) return conflictOutcome(other.reason, onlyId(other.contacts));
	return await create(context, state, item);
}

/** The service is asked once per country, not for each item: all contacts of a country may have the other ID. */
async function syncByOtherWaId(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	{ reason, contacts }: Extract<Match, { kind: 'otherWaId' }>,
): Promise<Outcome> {
	const country = item.address.waId?.slice(0, 2) ?? '';
	const isFound = state.findsOtherWaId.get(country);
	if (isFound === true) return await updateUnlisted(context, state, item, contacts);
	const found = isFound === false ? [] : await findByAddress(context, item.address);
	if (found.length === 0) {
		state.findsOtherWaId.set(country, false);
		return conflictOutcome(reason, onlyId(contacts));
	}
	const isListed = found.some(({ id }) => contacts.some((one) => one.id === id));
	if (isListed) state.findsOtherWaId.set(country, true);
	return await updateUnlisted(context, state, item, found);
}

/** Whether a contact that the list did not contain has another WhatsApp ID of the item's number. */
async function findByOtherWaId(context: OperationContext, item: SyncItem) {
	const id = item.address.waId === undefined ? undefined : otherWhatsAppId(item.address.waId);
	const contact = id === undefined ? undefined : await findById(context, id);
	return contact && otherWaId(item, [contact]);
}

async function findById(context: OperationContext, id: string): Promise<KnownContact | undefined> {
	const response = await context.send({
		endpoint: 'GET /contacts/{id}',
		action: 'Get contact',
		path: { id },
		acceptStatuses: [404],
	});
	return response.status === 404 ? undefined : contactIn(response.json);
}

/**
 * The contacts with one of the addresses, each once. A number may be stored with a plus (see `addressForms`).
 */
export async function findByAddress(
	context: OperationContext,
	{ waId, igId }: Address,
): Promise<KnownContact[]> {
	const found: KnownContact[] = [];
	for (const forms of [
		waId === undefined ? [] : addressForms(waId),
		igId === undefined ? [] : [igId],
	]) {
		for (const id of forms) {
			const contact = await findById(context, id);
			if (!contact) continue;
			if (!found.some((other) => other.id !== undefined && other.id === contact.id))
				found.push(contact);
			break;
		}
	}
	return found;
}

/** Updates a contact that the list did not contain, or that the service found by another ID. */
export async function updateUnlisted(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	found: KnownContact[],
): Promise<Outcome> {
	const match = matchFound(item, found, state.matchBy);
	if (match.kind !== 'found') {
		return conflictOutcome(match.kind === 'conflict' ? match.reason : '', onlyId(found));
	}
	const { id } = match.contact;
	if (id !== undefined && state.claimed.has(id)) {
		return conflictOutcome(`Another item matches the same contact ${id}`, id);
	}
	if (id !== undefined) state.claimed.add(id);
	return await update(context, state, item, match.contact);
}

/** Sends what differs. */
export async function update(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	contact: KnownContact,
): Promise<Outcome> {
	const { id, segmentIds } = contact;
	const { differences, conflict } = await compareClosely(context, state, item, contact);
	if (conflict !== undefined) return conflictOutcome(conflict, id);
	if (differences.length === 0)
		return { result: 'unchanged', contactId: id, segmentIds, changes: [] };
	if (id === undefined) {
		return conflictOutcome('The contact differs, but the service does not return its ID');
	}
	if (!state.dryRun) await write(context, id, differences);
	return { result: 'updated', contactId: id, segmentIds, changes: toChanges(differences) };
}

/** Compares with the contact itself if the list does not show enough of it. */
async function compareClosely(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	contact: KnownContact,
): Promise<Comparison> {
	const comparison = compare(item, contact, state.matchBy, state.labels);
	const { id } = contact;
	if (!comparison.isUncertain || id === undefined) return comparison;
	if (!state.singleReadShowsMore)
		return contact.isNew ? compareNew(state, item, contact) : comparison;
	const response = await context.send({
		endpoint: 'GET /contacts/{id}',
		action: 'Get contact',
		path: { id },
	});
	const single = contactIn(response.json);
	const closer = compare(item, single, state.matchBy, state.labels);
	if (!closer.isUncertain) return closer;
	state.singleReadShowsMore = false;
	return contact.isNew ? compareNew(state, item, single) : closer;
}

/** Compares with a contact that an import has created, and that has no custom fields but those that it set. */
function compareNew(state: SyncState, item: SyncItem, contact: KnownContact): Comparison {
	const shown = contact.fields.fields;
	const set = item.values.filter(
		({ field, isCustom }) =>
			isCustom && state.imported.has(field) && !shown.some(({ label }) => label === field),
	);
	const fields = [...shown, ...set.map(({ field: label, text: value }) => ({ label, value }))];
	const known = { ...contact, fields: { fields, isComplete: true } };
	return compare(item, known, state.matchBy, state.labels);
}

/** Marks a contact that an import has created. */
export const markNew = (state: SyncState, contact: KnownContact): KnownContact => ({
	...contact,
	isNew: contact.id !== undefined && !state.listed.has(contact.id),
});

async function create(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
): Promise<Outcome> {
	const { name, address } = item;
	const differences = differencesForNew(item, state.matchBy);
	const changes = toChanges(differences);
	if (state.dryRun) return { result: 'created', changes };
	const created = await context.send({
		endpoint: 'POST /contacts',
		action: 'Create contact',
		body: withoutUndefined({ name, ...address }),
		acceptStatuses: [409],
	});
	if (created.status === 409) {
		// The contact was created elsewhere in the meantime.
		const found = await findByAddress(context, address);
		if (found.length === 0) throw context.responseError(created);
		return await updateUnlisted(context, state, item, found);
	}
	const contact = contactIn(created.json);
	const id = contact.id ?? (await findByAddress(context, address))[0]?.id;
	// What creating cannot set: names besides the name, and custom fields.
	const sent = ['name', ...Object.keys(address)];
	const rest = differences
		.filter(({ field, isCustom, to }) => to !== '' && (isCustom || !sent.includes(field)))
		.map((difference) => ({ ...difference, fieldId: fieldIdIn(contact, difference) }));
	const own = contact.fields.fields;
	for (const { field, isCustom, fieldId } of rest) {
		if (!isCustom || fieldId !== undefined) continue;
		const other = otherSpelling(field, own, state.labels);
		if (other === undefined) continue;
		throw context.invalid(
			`The contact was created, but the service spells its field ${field} differently: ${other}. Its other values are not set`,
			'Enter the label as the service spells it, and run the node again.',
		);
	}
	if (rest.length > 0 && id === undefined) {
		throw context.invalid(
			'The contact was created, but the service did not return its ID, so its other values are not set',
			'Run the node again to set them.',
		);
	}
	if (id !== undefined) await write(context, id, rest);
	return { result: 'created', contactId: id, segmentIds: [], changes };
}

/** A new contact may already have its fields, without values. */
function fieldIdIn({ fields }: KnownContact, { field, isCustom }: Difference): string | undefined {
	return isCustom ? fields.fields.find(({ label }) => label === field)?.id : undefined;
}

async function write(
	context: OperationContext,
	id: string,
	differences: Difference[],
): Promise<void> {
	const standardFields = differences.filter(({ isCustom }) => !isCustom);
	if (standardFields.length > 0) {
		await context.send({
			endpoint: 'PATCH /contacts/{id}',
			action: 'Update contact',
			path: { id },
			body: Object.fromEntries(standardFields.map(({ field, to }) => [field, to])),
		});
	}
	for (const { field: label, to: value, isCustom, fieldId } of differences) {
		if (!isCustom) continue;
		const body = { label, value };
		await (fieldId === undefined
			? context.send({
					endpoint: 'POST /contacts/{id}/fields',
					action: 'Add contact field',
					path: { id },
					body,
				})
			: context.send({
					endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
					action: 'Update contact field',
					path: { id, fieldId },
					body,
				}));
	}
}

export const onlyId = (contacts: KnownContact[]): string | undefined =>
	contacts.length === 1 ? contacts[0]?.id : undefined;
