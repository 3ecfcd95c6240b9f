import { shown } from '../../../api/access/shown';
import { NO_FIELDS, type Address } from '../../../api/response/contact';
import type { ServiceResponse } from '../../../api/response/response';
import type { OperationContext } from '../../../runner/operationContext';
import { findField } from '../../shared/customFields';
import type { Difference } from '../differences';
import { type KnownContact, contactIn, findByAddress } from '../knownContact';
import { reportingPartialWrites, writeFields } from '../partialWrites';
import { type Decision, conflictOutcome, decide } from './decide';
import type { MatchBy, SyncItem } from './item';
import { matchOwners } from './match';
import type { SyncOutcome, Outcomes } from './outcomes';

interface SyncState {
	matchBy: MatchBy;
	/** Whether the contacts are added to a segment, which takes their IDs. */
	hasSegment: boolean;
	/** Whether the list showed all contacts. */
	isComplete: boolean;
	/** The IDs of contacts that an item has already. */
	claimed: Set<string>;
}

/** Does what was decided, for as many items at once as the service can handle. */
export async function performAll(
	context: OperationContext,
	state: SyncState,
	decisions: Map<SyncItem, Decision>,
	outcomes: Outcomes,
): Promise<void> {
	const toDo = [...decisions].filter(([, { action }]) => action);
	await context.forEach(toDo, async ([item, decision], itemContext) => {
		const act = async () => await perform(itemContext, state, item, decision);
		await outcomes.attempt(itemContext, item, act);
	});
}

/**
 * Does for an item what was decided. A contact that the list did not show is looked up, and decided on once more: before
 * it is created, if the list is incomplete, and if the service has it already.
 */
async function perform(
	context: OperationContext,
	state: SyncState,
	item: SyncItem,
	{ outcome, action }: Decision,
): Promise<SyncOutcome> {
	if (!action) return outcome;
	if (action.kind === 'update') {
		await write(context, action.contactId, action.differences, []);
		return outcome;
	}
	const { address } = item;
	// The service may store another variant of the number, and then accept a second contact.
	let owners = state.isComplete ? [] : await findByAddress(context, address);
	if (owners.length === 0) {
		const created = await context.send({
			endpoint: 'POST /contacts',
			action: 'Create contact',
			body: action.body,
			acceptStatuses: [409],
		});
		if (created.status !== 409) {
			const contactId = await completeNew(context, state, address, created, action.rest);
			return { ...outcome, contactId };
		}
		// It was created elsewhere in the meantime, or rows shifted between pages.
		owners = await findByAddress(context, address);
		if (owners.length === 0) throw context.responseError(created);
	}
	return await perform(context, state, item, decideUnlisted(state, item, owners));
}

/** @param owners the contacts with the item's address, at least one */
function decideUnlisted(state: SyncState, item: SyncItem, owners: KnownContact[]): Decision {
	const match = matchOwners(item, owners, state.matchBy);
	const contactId = match.kind === 'found' ? match.contact.id : undefined;
	if (contactId !== undefined && state.claimed.has(contactId)) {
		const reason = `Another item matches the same contact ${contactId}`;
		return { outcome: conflictOutcome(reason, contactId) };
	}
	if (contactId !== undefined) state.claimed.add(contactId);
	return decide(item, match, state.matchBy);
}

/** @returns the ID of the new contact; undefined if it is unknown, and nothing needs it */
async function completeNew(
	context: OperationContext,
	{ hasSegment }: SyncState,
	address: Address,
	created: ServiceResponse,
	rest: Difference[],
): Promise<string | undefined> {
	const { id: shownId, fields = NO_FIELDS } = contactIn(created.json);
	let id = shownId;
	if (id === undefined && (rest.length > 0 || hasSegment)) {
		const find = async () => await findByAddress(context, address);
		const [found] = await reportingPartialWrites(['the new contact'], find);
		id = found?.id;
	}
	if (rest.length === 0) return id;
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
			shown`The contact ${id} was created, but its other values are not set. ${search.reason}`,
			search.step,
		);
	});
	await write(context, id, differences, [`the new contact ${id}`]);
	return id;
}

/** @param written what the message says if a request fails; what is written is added to it */
async function write(
	context: OperationContext,
	id: string,
	differences: Difference[],
	written: string[],
): Promise<void> {
	await reportingPartialWrites(written, async () => {
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
		await writeFields(context, id, differences, written);
	});
}
