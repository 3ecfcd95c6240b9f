import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../../api/access/shown';
import { errorText, mayHaveTakenEffect } from '../../../api/errors';
import { textOf } from '../../../api/base/text';
import type { OperationContext } from '../../../runner/operationContext';
import { contactIdOfMember, MEMBER_NAMES } from '../../../api/response/contact';
import { changeMembers, isDynamicIn, memberRequests, segmentIn } from '../../shared/segmentMembers';
import { reportingPartialWrites } from '../partialWrites';
import type { SyncItem } from './item';
import type { SyncOutcome, Outcomes } from './outcomes';
import { numberText } from './outcomes';

/** The segment that the contacts are added to. */
interface Segment {
	id: string;
	/** The IDs of its members before the sync. */
	members: Set<string>;
	/** Whether the service shows the IDs of all members. */
	showsIds: boolean;
}

/**
 * Reads the segment and its members before anything is written. What the list of contacts shows as their segments does not
 * count.
 *
 * @throws NodeApiError if it does not exist
 * @throws NodeOperationError if it is dynamic: rules define its members
 */
export async function readSegment(context: OperationContext, id: string): Promise<Segment> {
	const onFirstPage = (json: unknown) => {
		if (isDynamicIn(json) !== true) return;
		throw context.invalid(
			shown`The segment ${textOf(segmentIn(json).name) || id} is dynamic: rules define its members`,
			'Nothing was written. Choose a static segment.',
		);
	};
	const errorHint = (status: number) =>
		status === 404 ? shown`Nothing was written. Choose an existing segment.` : undefined;
	const rows = await context.readPages(
		{
			...{ endpoint: 'GET /segments/{id}', action: 'Get segment', path: { id } },
			...{ rowsName: MEMBER_NAMES, onFirstPage, errorHint },
		},
		200,
		Infinity,
	);
	const ids = rows.map(contactIdOfMember).filter((member) => member !== undefined);
	return { id, members: new Set(ids), showsIds: ids.length === rows.length };
}

/** What decides on the members, besides the outcomes. */
interface MemberRules {
	dryRun: boolean;
	/** Whether to remove members that no item matches. */
	removeOthers: boolean;
	/** Those that can be used. */
	items: SyncItem[];
	/** Whether the list showed all contacts. */
	isComplete: boolean;
}

/**
 * Adds the contacts of all items to the segment, except of those that are conflicts or failed, and removes the others.
 *
 * @returns how many were removed; undefined if that was not tried
 */
export async function syncSegment(
	context: OperationContext,
	segment: Segment,
	outcomes: Outcomes,
	rules: MemberRules,
): Promise<number | undefined> {
	const { dryRun, removeOthers } = rules;
	const { id, members } = segment;
	const missing = outcomes
		.entries()
		.filter(([, { result }]) => result !== 'conflict')
		.filter(([, { contactId }]) => contactId === undefined || !members.has(contactId));
	// A dry run creates no contact, so new ones have no ID.
	if (dryRun) for (const [position] of missing) outcomes.addToSegment(position, id);
	else await addToSegment(context, id, missing, outcomes);

	if (!removeOthers || outcomes.isAborted) return undefined;
	const reason = reasonToRemoveNobody(context, segment, outcomes, rules);
	if (reason !== undefined) {
		context.notify(shown`No contact was removed from the segment, because ${reason}`);
		return undefined;
	}
	const kept = new Set(outcomes.entries().map(([, { contactId }]) => contactId));
	const others = [...members].filter((contactId) => !kept.has(contactId));
	return dryRun ? others.length : await removeFromSegment(context, id, others, outcomes);
}

/** Why it is not known which members of the segment no item matches; undefined if it is. */
function reasonToRemoveNobody(
	context: OperationContext,
	{ showsIds }: Segment,
	outcomes: Outcomes,
	{ items, isComplete }: MemberRules,
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

/** If a request is rejected, its items fail; if the node continues on fail, they keep their results and get the reason. */
async function addToSegment(
	context: OperationContext,
	id: string,
	missing: [position: number, outcome: SyncOutcome][],
	outcomes: Outcomes,
): Promise<void> {
	const positions = new Map<string, number>();
	for (const [position, { contactId }] of missing) {
		if (contactId === undefined) outcomes.setSegmentReason(position, WITHOUT_ID);
		else positions.set(contactId, position);
	}
	for (const contactIds of memberRequests([...positions.keys()])) {
		const added = contactIds.map((contactId) => positions.get(contactId) as number);
		try {
			await change(context, id, 'add', contactIds);
			for (const position of added) outcomes.addToSegment(position, id);
		} catch (error) {
			context.throwIfStopped();
			const wasNot = mayHaveTakenEffect(error as NodeApiError) ? 'may not have been' : 'was not';
			const reason = shown`The contact ${wasNot} added to the segment: ${errorText(error as NodeApiError)}`;
			for (const position of added) {
				if (context.n8n.continueOnFail()) outcomes.setSegmentReason(position, String(reason));
				else outcomes.fail(position, error);
			}
			if (outcomes.isAborted) return;
		}
	}
}

const WITHOUT_ID =
	'The contact was not added to the segment, because the service did not return its ID. Run Sync again';

/**
 * Adds contacts to the segment, or removes them from it, in one request.
 *
 * @param before what has been done before it, besides the contacts of the items
 * @throws NodeApiError if it is rejected. The error says what has been done; if the node continues, the results of the
 *   items show it
 */
async function change(
	context: OperationContext,
	id: string,
	action: 'add' | 'remove',
	contactIds: string[],
	before: string[] = [],
): Promise<void> {
	const written = context.n8n.continueOnFail() ? [] : ['the contacts of the items', ...before];
	await reportingPartialWrites(written, async () => {
		await changeMembers(context, id, action, contactIds);
	});
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
	let removed = 0;
	for (const contactIds of memberRequests(others)) {
		const done = `the removal of ${numberText(removed)} of ${numberText(others.length)} contacts`;
		const before = removed > 0 ? [done] : [];
		const error = await change(context, id, 'remove', contactIds, before).then(
			() => undefined,
			(thrown: unknown) => {
				context.throwIfStopped();
				if (!context.n8n.continueOnFail()) throw thrown;
				return thrown as NodeApiError;
			},
		);
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
