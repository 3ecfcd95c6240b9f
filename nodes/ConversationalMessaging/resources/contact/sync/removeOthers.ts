import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../../api/access/shown';
import { errorText, mayHaveTakenEffect } from '../../../api/errors';
import type { OperationContext } from '../../../runner/operationContext';
import { changeMembers, memberRequests } from '../../shared/segmentMembers';
import { reportingPartialWrites } from '../partialWrites';
import type { SyncItem } from './item';
import type { Outcomes } from './outcomes';
import { numberText } from './outcomes';
import type { Segment } from './segment';

/** What decides on the removal, besides the outcomes. */
interface RemovalRules {
	dryRun: boolean;
	/** Those that can be used. */
	items: SyncItem[];
	/** Whether the list showed all contacts. */
	isComplete: boolean;
}

/**
 * Removes the members of the segment that no item matches.
 *
 * @returns how many were removed; undefined if that was not tried
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
	return rules.dryRun
		? others.length
		: await removeFromSegment(context, segment.id, others, outcomes);
}

/** Why it is not known which members of the segment no item matches; undefined if it is. */
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

/**
 * If a request is rejected and the node continues on fail, the items keep their results and get the reason.
 *
 * @param others the IDs of the members that no item matches
 * @returns how many were removed
 * @throws NodeApiError if a request is rejected and the node does not continue
 */
async function removeFromSegment(
	context: OperationContext,
	id: string,
	others: string[],
	outcomes: Outcomes,
): Promise<number> {
	const isContinued = context.n8n.continueOnFail();
	let removed = 0;
	for (const contactIds of memberRequests(others)) {
		const done = `the removal of ${numberText(removed)} of ${numberText(others.length)} contacts`;
		const before = removed > 0 ? [done] : [];
		const written = isContinued ? [] : ['the contacts of the items', ...before];
		const error = await reportingPartialWrites(written, async () => {
			await changeMembers(context, id, 'remove', contactIds);
		}).catch((thrown: unknown) => {
			context.throwIfStopped();
			if (!isContinued) throw thrown;
			return thrown as NodeApiError;
		});
		if (error) {
			const still = stillThere(others.length - removed, mayHaveTakenEffect(error));
			const reason = shown`${still} in the segment: ${errorText(error)}`;
			context.notify(reason);
			for (const [position] of outcomes.entries())
				outcomes.setSegmentReason(position, String(reason));
			break;
		}
		removed += contactIds.length;
	}
	return removed;
}

function stillThere(count: number, isUncertain: boolean): string {
	const contacts = count === 1 ? '1 contact' : `${numberText(count)} contacts`;
	const are = isUncertain ? 'may still be' : count === 1 ? 'is still' : 'are still';
	return `${contacts} that no item matches ${are}`;
}
