import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../../api/access/shown';
import { errorText, mayHaveTakenEffect } from '../../../api/errors';
import type { OperationContext } from '../../../runner/operationContext';
import { changeMembers, memberRequests } from '../../shared/changeMembers';
import { reportingPartialWrites } from '../partialWrites';
import type { SyncItem } from './item';
import { type Outcomes, numberText } from './outcomes';
import type { Segment } from './segment';

/**
 * Adds the contacts of all items to the segment, except of those that are conflicts or failed.
 *
 * If a request is rejected and the node continues on fail, its items keep their results and get the reason.
 *
 * @throws NodeApiError if a request is rejected and the node does not continue
 */
export async function addToSegment(
	context: OperationContext,
	{ id, members }: Segment,
	outcomes: Outcomes,
	dryRun: boolean,
): Promise<void> {
	const missing = outcomes
		.entries()
		.filter(([, { result }]) => result !== 'conflict')
		.filter(([, { contactId }]) => contactId === undefined || !members.has(contactId));
	if (dryRun) {
		// A dry run creates no contact, so new ones have no ID.
		for (const [item] of missing) outcomes.addToSegment(item, id);
		return;
	}
	const items = new Map<string, SyncItem>();
	for (const [item, { contactId }] of missing) {
		if (contactId === undefined) outcomes.setSegmentReason(item, WITHOUT_ID);
		else items.set(contactId, item);
	}
	const { rejected } = await change(context, id, 'add', [...items.keys()]);
	for (const [contactId, item] of items) {
		const error = rejected.get(contactId);
		if (!error) outcomes.addToSegment(item, id);
		else {
			const wasNot = mayHaveTakenEffect(error) ? 'may not have been' : 'was not';
			const reason = shown`The contact ${wasNot} added to the segment: ${errorText(error)}`;
			outcomes.setSegmentReason(item, String(reason));
		}
	}
}

const WITHOUT_ID =
	'The contact was not added to the segment, because the service did not return its ID. Run Sync again';

interface RemovalRules {
	dryRun: boolean;
	/** Those that can be used. */
	items: SyncItem[];
	isComplete: boolean;
}

/**
 * Removes the members of the segment that no item matches.
 *
 * If a request is rejected and the node continues on fail, all items keep their results and get the reason.
 *
 * @returns how many were removed; undefined if that was not tried
 * @throws NodeApiError if a request is rejected and the node does not continue
 */
export async function removeOthers(
	context: OperationContext,
	segment: Segment,
	outcomes: Outcomes,
	rules: RemovalRules,
): Promise<number | undefined> {
	const reason = reasonToRemoveNobody(context, segment, outcomes, rules);
	if (reason !== undefined) {
		context.notify(shown`No contact was removed from the segment, because ${reason}`);
		return undefined;
	}
	const kept = new Set(outcomes.entries().map(([, { contactId }]) => contactId));
	const others = [...segment.members].filter((contactId) => !kept.has(contactId));
	if (rules.dryRun) return others.length;
	const { changed, rejected } = await change(context, segment.id, 'remove', others);
	const [error] = rejected.values();
	if (error) {
		const still = stillThere(rejected.size, mayHaveTakenEffect(error));
		const text = shown`${still} in the segment: ${errorText(error)}`;
		context.notify(text);
		for (const [item] of outcomes.entries()) outcomes.setSegmentReason(item, String(text));
	}
	return changed;
}

function reasonToRemoveNobody(
	context: OperationContext,
	{ showsIds }: Segment,
	outcomes: Outcomes,
	{ items, isComplete }: RemovalRules,
): string | undefined {
	if (!showsIds) return 'the service does not show the IDs of all members';
	const inputCount = context.n8n.getInputData().length;
	if (items.length < inputCount)
		return `some input items (${inputCount - items.length} of ${inputCount}) could not be used, or belong to another token`;
	if (!isComplete) return 'the list of contacts is incomplete';
	if (outcomes.isUnsettled)
		return 'some items are conflicts, failed, or could not be added to the segment. Resolve them, then run Sync again';
	const isUnknown = outcomes
		.entries()
		.some(([, { result, contactId }]) => result !== 'created' && contactId === undefined);
	return isUnknown ? 'the service did not return the IDs of all contacts' : undefined;
}

function stillThere(count: number, isUncertain: boolean): string {
	const contacts = count === 1 ? '1 contact' : `${numberText(count)} contacts`;
	const are = isUncertain ? 'may still be' : count === 1 ? 'is still' : 'are still';
	return `${contacts} that no item matches ${are}`;
}

/** @returns how many were changed, and the errors of the others by their IDs */
async function change(
	context: OperationContext,
	segmentId: string,
	action: 'add' | 'remove',
	contactIds: string[],
): Promise<{ changed: number; rejected: Map<string, NodeApiError> }> {
	const done = action === 'add' ? 'addition' : 'removal';
	const rejected = new Map<string, NodeApiError>();
	let changed = 0;
	for (const ids of memberRequests(contactIds)) {
		const part = `the ${done} of ${numberText(changed)} of ${numberText(contactIds.length)} contacts`;
		const written = ['the contacts of the items', ...(changed > 0 ? [part] : [])];
		const isContinued = context.n8n.continueOnFail();
		await reportingPartialWrites(isContinued ? [] : written, async () => {
			await changeMembers(context, segmentId, action, ids);
			changed += ids.length;
		}).catch((error: unknown) => {
			context.throwIfStopped();
			if (!isContinued) throw error;
			for (const id of ids) rejected.set(id, error as NodeApiError);
		});
	}
	return { changed, rejected };
}
