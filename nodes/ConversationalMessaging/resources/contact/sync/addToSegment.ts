import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../../api/access/shown';
import { errorText, mayHaveTakenEffect } from '../../../api/errors';
import type { OperationContext } from '../../../runner/operationContext';
import { changeMembers, memberRequests } from '../../shared/segmentMembers';
import { reportingPartialWrites } from '../partialWrites';
import type { Outcomes } from './outcomes';
import type { Segment } from './segment';

/**
 * Adds the contacts of all items to the segment, except of those that are conflicts or failed.
 *
 * If a request is rejected, its items fail; if the node continues on fail, they keep their results and get the reason.
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
		for (const [position] of missing) outcomes.addToSegment(position, id);
		return;
	}
	const isContinued = context.n8n.continueOnFail();
	const written = isContinued ? [] : ['the contacts of the items'];
	const positions = new Map<string, number>();
	for (const [position, { contactId }] of missing) {
		if (contactId === undefined) outcomes.setSegmentReason(position, WITHOUT_ID);
		else positions.set(contactId, position);
	}
	for (const contactIds of memberRequests([...positions.keys()])) {
		const added = contactIds.map((contactId) => positions.get(contactId) as number);
		try {
			await reportingPartialWrites(written, async () => {
				await changeMembers(context, id, 'add', contactIds);
			});
			for (const position of added) outcomes.addToSegment(position, id);
		} catch (error) {
			context.throwIfStopped();
			const wasNot = mayHaveTakenEffect(error as NodeApiError) ? 'may not have been' : 'was not';
			const reason = shown`The contact ${wasNot} added to the segment: ${errorText(error as NodeApiError)}`;
			for (const position of added) {
				if (isContinued) outcomes.setSegmentReason(position, String(reason));
				else outcomes.fail(position, error);
			}
			if (outcomes.isAborted) return;
		}
	}
}

const WITHOUT_ID =
	'The contact was not added to the segment, because the service did not return its ID. Run Sync again';
