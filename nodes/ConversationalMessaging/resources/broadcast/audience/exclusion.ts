import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import type { OperationContext } from '../../../runner/operationContext';
import { ALLOW_INCOMPLETE_EXCLUSION, EXCLUDE_SEGMENTS, type Guards } from '../guards';
import { type Member, readMembers } from './readMembers';

/** A segment whose members a broadcast leaves out. */
export interface ExcludedSegment {
	/** As it is called in notes. */
	name: string;
	/** The keys of its contacts. */
	keys: ReadonlySet<string>;
	members: readonly Member[];
	notes: string[];
}

/**
 * Reads the members of each of Exclude Segments.
 *
 * @throws NodeApiError if a segment cannot be read
 * @throws NodeOperationError if members may be missing, unless the user allows it
 */
export async function readExclusion(
	context: OperationContext,
	{ excludedSegmentIds = [], allowsIncompleteExclusion }: Guards,
): Promise<ExcludedSegment[]> {
	const segments: ExcludedSegment[] = [];
	for (const id of excludedSegmentIds)
		segments.push(await readExcluded(context, id, allowsIncompleteExclusion));
	return segments;
}

async function readExcluded(
	context: OperationContext,
	segmentId: string,
	allowsIncompleteExclusion: boolean,
): Promise<ExcludedSegment> {
	const { name, members, isStatic, missing } = await readMembers(
		context,
		segmentId,
		EXCLUDE_SEGMENTS,
	);
	if (missing !== undefined && !allowsIncompleteExclusion) {
		throw context.invalid(
			missing,
			`Nothing was sent. Compare the segment with the dashboard, or add the option ${ALLOW_INCOMPLETE_EXCLUSION}.`,
		);
	}
	// Whether the service shows the members of a dynamic segment is undocumented.
	if (members.length === 0 && !isStatic && !allowsIncompleteExclusion) {
		throw context.invalid(
			shown`The service shows no members of ${name} (${EXCLUDE_SEGMENTS}), and does not show that it is static`,
			`Nothing was sent, because its members might receive the broadcast. Choose a static segment, or add the option ${ALLOW_INCOMPLETE_EXCLUSION}.`,
		);
	}
	const keys = new Set<string>();
	for await (const { id } of inTurns(members)) if (id) keys.add(id.key);
	return {
		name,
		keys,
		members,
		notes: [
			...(missing === undefined ? [] : [String(missing)]),
			...(keys.size === 0
				? [`${name} excludes nobody: the service shows no members with a phone number`]
				: []),
		],
	};
}
