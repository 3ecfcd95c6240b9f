import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { countOf, formatValue, listed } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import type { OperationContext } from '../../../runner/operationContext';
import { ALLOW_INCOMPLETE_EXCLUSION, EXCLUDE_SEGMENTS, type Guards } from '../guards';
import { type Member, readMembers } from './readMembers';

export interface ExcludedSegment {
	/** As it is called in notes. */
	name: string;
	/** Of its contacts: see `CustomerId`. */
	keys: ReadonlySet<string>;
	members: readonly Member[];
	notes: string[];
}

/** Reads the members of each of Exclude Segments. @throws as `readMembers` does; not if the user allows that some are missing */
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

/**
 * Checks that no recipient can be a member of Exclude Segments. What cannot be taken back is not sent in doubt.
 *
 * @param recipients the addresses of those who are left
 * @returns a note about members who may be among them, if the user allows that
 * @throws NodeOperationError if there are such members, and the user does not allow it
 */
export async function checkExclusion(
	context: OperationContext,
	exclusion: readonly ExcludedSegment[],
	recipients: readonly string[],
	{ allowsIncompleteExclusion }: Guards,
): Promise<string[]> {
	const all = exclusion.flatMap((segment) => segment.members);
	const incomparable = all.filter(({ isUncertain }) => isUncertain).map(({ shown }) => shown);
	// Somebody may be in several of them.
	const possible = await possibleRecipients(all, recipients);
	const uncertain = [...new Set([...incomparable, ...possible])];
	if (uncertain.length === 0) return [];
	const members = `${countOf(uncertain.length, 'member')} of ${EXCLUDE_SEGMENTS}`;
	const names = listed(uncertain, formatValue);
	if (allowsIncompleteExclusion) {
		return [
			`${members} may receive the broadcast, because they cannot be compared with the recipients: ${names}`,
		];
	}
	throw context.invalid(
		shown`${members} cannot be compared with the recipients: ${names}`,
		`Nothing was sent, because they might receive the broadcast. Give each a WhatsApp ID with country code, or add the option ${ALLOW_INCOMPLETE_EXCLUSION}.`,
	);
}

/** The members whose number may be a recipient's: one of the two may lack its country code, or have a 0 after it. */
async function possibleRecipients(
	members: readonly Member[],
	recipients: readonly string[],
): Promise<Set<string>> {
	if (members.length === 0) return new Set();
	const memberOf = new Map<string, string>();
	for await (const { id, shown } of inTurns(members))
		if (id?.kind === 'phoneNumber')
			for (const spelling of id.spellings) memberOf.set(spelling, shown);
	const found = new Set<string>();
	const recipientSpellings = new Set<string>();
	for await (const recipient of inTurns(recipients)) {
		const id = customerId(recipient);
		if (id.kind !== 'phoneNumber') continue;
		for (const spelling of id.spellings) recipientSpellings.add(spelling);
		for (const ending of id.endings) {
			const member = memberOf.get(ending);
			if (member !== undefined) found.add(member);
		}
	}
	for await (const { id, shown } of inTurns(members))
		if (id?.kind === 'phoneNumber' && id.endings.some((ending) => recipientSpellings.has(ending)))
			found.add(shown);
	return found;
}
