import { withoutUndefined } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import { NO_FIELDS } from '../../../api/customFields';
import { findField } from '../../shared/customFields';
import type { Address } from '../address';
import { findByAddress } from '../findByAddress';
import { sayingWritten } from '../written';
import type { KnownContact } from './contacts';
import { contactIn } from './contacts';
import type { Difference } from './differences';
import { compare, differencesForNew } from './differences';
import type { MatchBy, SyncItem } from './item';
import type { Match } from './match';
import { matchOwners } from './match';
import type { Outcome } from './outcomes';
import { conflictOutcome, toChanges } from './outcomes';

/** What the requests for single contacts have in common. */
export interface SyncState {
	matchBy: MatchBy;
	dryRun: boolean;
	/** Whether the contacts are added to a segment, which takes their IDs. */
	hasSegment: boolean;
	/** Whether the list showed all contacts. */
	isComplete: boolean;
	/** The IDs of contacts that an item has already. */
	claimed: Set<string>;
}

/** What an item needs: nothing, with its outcome, or requests. */
export type Task = { outcome: Outcome } | { send: (context: OperationContext) => Promise<Outcome> };

/** What it takes to make the contact of an item match it. */
export function taskOf(state: SyncState, item: SyncItem, match: Match): Task {
	if (match.kind === 'conflict') return { outcome: conflictOutcome(match.reason, match.contactId) };
	return match.kind === 'found'
		? updateTask(state, item, match.contact)
		: { send: async (context) => await create(context, state, item) };
}

function updateTask({ matchBy, dryRun }: SyncState, item: SyncItem, contact: KnownContact): Task {
	const { id, segmentIds } = contact;
	const { differences, conflict } = compare(item, contact, matchBy);
	if (conflict !== undefined) return { outcome: conflictOutcome(conflict, id) };
	if (differences.length === 0)
		return { outcome: { result: 'unchanged', contactId: id, segmentIds, changes: [] } };
	if (id === undefined) {
		const reason = 'The contact differs, but the service does not return its ID';
		return { outcome: conflictOutcome(reason) };
	}
	return {
		send: async (context) => {
			if (!dryRun) await write(context, id, differences, []);
			return { result: 'updated', contactId: id, segmentIds, changes: toChanges(differences) };
		},
	};
}

async function create(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
): Promise<Outcome> {
	const { name, address } = item;
	const differences = differencesForNew(item);
	const changes = toChanges(differences);
	if (state.dryRun) return { result: 'created', changes };
	// The service may store the same number in another form, and then accept a second contact.
	const unlisted = state.isComplete ? [] : await findByAddress(context, address);
	if (unlisted.length > 0) return await updateUnlisted(context, state, item, unlisted);
	const body = withoutUndefined({ name, ...address });
	const created = await context.send({
		endpoint: 'POST /contacts',
		action: 'Create contact',
		body,
		acceptStatuses: [409],
	});
	if (created.status === 409) {
		// The list did not show the contact: it was created elsewhere in the meantime, or rows shifted between pages.
		const owners = await findByAddress(context, address);
		if (owners.length === 0) throw context.responseError(created);
		return await updateUnlisted(context, state, item, owners);
	}
	const contact = contactIn(created.json);
	// What creating cannot set: names besides the name, and custom fields.
	const rest = differences.filter(
		({ field, isCustom, to }) => to !== '' && (isCustom || !(field in body)),
	);
	const needsId = rest.length > 0 || state.hasSegment;
	const id = contact.id ?? (needsId ? await idOfNew(context, address) : undefined);
	if (rest.length > 0) await complete(context, { ...contact, id }, rest);
	return { result: 'created', contactId: id, segmentIds: [], changes };
}

/** The ID of a new contact that the service did not return. */
async function idOfNew(context: OperationContext, address: Address): Promise<string | undefined> {
	const found = await sayingWritten(
		['the new contact'],
		async () => await findByAddress(context, address),
	);
	return found[0]?.id;
}

/** Gives a new contact what it could not be created with. */
async function complete(
	context: OperationContext,
	{ id, fields = NO_FIELDS }: KnownContact,
	rest: Difference[],
): Promise<void> {
	if (id === undefined) {
		throw context.invalid(
			'The contact was created, but the service did not return its ID, so its other values are not set',
			'Run the node again to set them.',
		);
	}
	// A new contact may already have its fields, without values.
	const differences = rest.map((difference) => {
		if (!difference.isCustom) return difference;
		const search = findField(fields, difference.field);
		if ('field' in search) return { ...difference, fieldId: search.field?.id };
		throw context.invalid(
			`The contact ${id} was created, but its other values are not set. ${search.reason}`,
			search.step,
		);
	});
	await write(context, id, differences, [`the new contact ${id}`]);
}

/** Updates a contact that the list did not show. */
async function updateUnlisted(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	owners: KnownContact[],
): Promise<Outcome> {
	const match = matchOwners(item, owners, state.matchBy);
	const id = match.kind === 'found' ? match.contact.id : undefined;
	if (id !== undefined && state.claimed.has(id))
		return conflictOutcome(`Another item matches the same contact ${id}`, id);
	if (id !== undefined) state.claimed.add(id);
	const task = taskOf(state, item, match);
	return 'send' in task ? await task.send(context) : task.outcome;
}

/** @param written what the message says if a request fails; what is written is added to it */
async function write(
	context: OperationContext,
	id: string,
	differences: Difference[],
	written: string[],
): Promise<void> {
	await sayingWritten(written, async () => {
		const names = differences.filter(({ isCustom }) => !isCustom);
		if (names.length > 0) {
			await context.send({
				endpoint: 'PATCH /contacts/{id}',
				action: 'Update contact',
				path: { id },
				body: Object.fromEntries(names.map(({ field, to }) => [field, to])),
			});
			written.push(...names.map(({ field }) => field));
		}
		for (const { field, isCustom, to: value, fieldId } of differences) {
			if (!isCustom) continue;
			await writeField(context, id, fieldId, { label: field, value });
			written.push(field);
		}
	});
}

async function writeField(
	context: OperationContext,
	id: string,
	fieldId: string | undefined,
	body: { label: string; value: string },
): Promise<void> {
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
