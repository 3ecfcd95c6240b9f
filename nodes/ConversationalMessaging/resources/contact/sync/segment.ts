import { unwrapped } from '../../../api/record';
import { isRecord, payloadOf } from '../../../api/response';
import { textOf } from '../../../api/text';
import type { OperationContext } from '../../../runner/operationContext';
import {
	contactIdOfMember,
	MEMBER_NAMES,
	memberRequests,
	membersErrorHint,
} from '../../shared/segmentMembers';
import type { KnownContact } from './contacts';
import type { Outcomes } from './outcomes';

interface SegmentSync {
	segmentId: string;
	dryRun: boolean;
	contacts: KnownContact[];
	outcomes: Outcomes;
	/** How many items there are. */
	count: number;
}

const GET_SEGMENT = { endpoint: 'GET /segments/{id}', action: 'Get segment' } as const;

/**
 * Checks the segment before anything is written, in one request.
 *
 * @throws NodeApiError if it does not exist
 * @throws NodeOperationError if it is dynamic: rules define its members
 */
export async function checkSegment(context: OperationContext, id: string): Promise<void> {
	const { json } = await context.send({
		...GET_SEGMENT,
		path: { id },
		query: { limit: 1 },
		errorHint: (status) =>
			status === 404 ? 'Nothing was written. Choose an existing segment.' : undefined,
	});
	const payload = payloadOf(json);
	const { name, isDynamic } = isRecord(payload) ? unwrapped(payload, GET_SEGMENT.endpoint) : {};
	if (isDynamic !== true) return;
	throw context.invalid(
		`The segment ${textOf(name) || id} is dynamic: rules define its members`,
		'Nothing was written. Choose a static segment.',
	);
}

/**
 * Adds the contacts of all items to the segment, except of those that are conflicts, pending or failed.
 *
 * @returns the IDs of the members before; undefined if the run has ended
 */
export async function addToSegment(
	context: OperationContext,
	{ segmentId, dryRun, contacts, outcomes, count }: SegmentSync,
): Promise<Set<string>> {
	const members = await membersOf(context, segmentId, contacts);
	const positions = new Map<string, number>();
	for (let position = 0; position < count; position++) {
		const outcome = outcomes.get(position);
		if (!outcome || !['created', 'updated', 'unchanged'].includes(outcome.result)) continue;
		const { contactId, segmentIds } = outcome;
		const isMember =
			contactId !== undefined && (members.has(contactId) || segmentIds?.includes(segmentId));
		if (isMember) continue;
		if (contactId !== undefined) positions.set(contactId, position);
		// A dry run creates no contact, so there is no ID.
		else if (dryRun) addChange(outcomes, position, segmentId);
	}
	for (const contactIds of memberRequests([...positions.keys()])) {
		const batchPositions = contactIds.map((id) => positions.get(id) as number);
		await outcomes.attempt(context, batchPositions, async () => {
			if (!dryRun) await changeMembers(context, segmentId, 'add', contactIds);
			for (const position of batchPositions) addChange(outcomes, position, segmentId);
		});
	}
	return members;
}

/**
 * Removes the members of the segment that no item matches.
 *
 * @param kept the IDs of contacts that may belong to an item
 * @returns how many
 * @throws NodeApiError if it is rejected
 */
export async function removeFromSegment(
	context: OperationContext,
	segmentId: string,
	members: Set<string>,
	kept: Set<string>,
	dryRun: boolean,
): Promise<number> {
	const others = [...members].filter((id) => !kept.has(id));
	if (dryRun) return others.length;
	for (const contactIds of memberRequests(others)) {
		await changeMembers(context, segmentId, 'remove', contactIds);
	}
	return others.length;
}

async function changeMembers(
	context: OperationContext,
	id: string,
	action: 'add' | 'remove',
	contactIds: string[],
): Promise<void> {
	await context.send({
		endpoint: 'PUT /segments/{id}/members',
		action: action === 'add' ? 'Add contacts to segment' : 'Remove contacts from segment',
		path: { id },
		body: { action, contactIds },
		errorHint: membersErrorHint,
	});
}

/** The IDs of the members: from the contacts if these show their segments, otherwise from the segment. */
async function membersOf(
	context: OperationContext,
	id: string,
	contacts: KnownContact[],
): Promise<Set<string>> {
	if (contacts.every(({ segmentIds }) => segmentIds !== undefined)) {
		const members = contacts.filter(({ segmentIds }) => segmentIds?.includes(id));
		return new Set(members.flatMap((contact) => contact.id ?? []));
	}
	const request = { ...GET_SEGMENT, path: { id }, rowsName: MEMBER_NAMES };
	const rows = await context.readPages(request, 200, 'all');
	return new Set(rows.flatMap((row) => contactIdOfMember(row) ?? []));
}

/** An item whose contact is added to the segment is not unchanged. */
function addChange(outcomes: Outcomes, position: number, segmentId: string): void {
	const outcome = outcomes.get(position);
	if (!outcome) return;
	const change = { field: 'segment', from: null, to: segmentId };
	const result = outcome.result === 'unchanged' ? 'updated' : outcome.result;
	outcomes.set(position, { ...outcome, result, changes: [...outcome.changes, change] });
}
