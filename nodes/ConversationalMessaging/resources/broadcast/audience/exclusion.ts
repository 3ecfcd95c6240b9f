import { shown } from '../../../api/access/shown';
import { inTurns } from '../../../api/base/concurrency';
import { contactKey, numberOf, variantsOf } from '../../../parameters/address';
import { countOf, formatValue, listed } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import { ALLOW_INCOMPLETE_EXCLUSION, EXCLUDE_SEGMENTS, type Guards } from '../guards';
import { idsOf, readMembers } from './readMembers';

/** A segment whose members a broadcast leaves out. */
export interface ExcludedSegment {
	/** As it is called in notes. */
	name: string;
	/** The keys of its contacts. */
	keys: ReadonlySet<string>;
	/** Their phone numbers, as the service returned them. */
	numbers: readonly string[];
	/** What identifies members who cannot be compared with anybody: an address, a name or an ID. */
	incomparable: readonly string[];
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
	const addresses = idsOf(members, true);
	const keys = new Set<string>();
	for await (const address of inTurns(addresses)) keys.add(contactKey(address));
	return {
		name,
		keys,
		numbers: addresses.filter((address) => numberOf(address) !== undefined),
		incomparable: members.filter(({ isUncertain }) => isUncertain).map(({ shown }) => shown),
		notes: [
			...(missing === undefined ? [] : [String(missing)]),
			...(addresses.length === 0
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
	const incomparable = exclusion.flatMap((segment) => segment.incomparable);
	const numbers = exclusion.flatMap((segment) => segment.numbers);
	// Somebody may be in several of them.
	const possible = await possibleRecipients(numbers, recipients);
	const uncertain = [...new Set([...incomparable, ...possible])];
	if (uncertain.length === 0) return [];
	const members = `${countOf(uncertain.length, 'member')} of ${EXCLUDE_SEGMENTS}`;
	const names = listed(uncertain.map(formatValue));
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

/**
 * The members whose number is the end of a recipient's, or the other way round: the shorter one may lack its country
 * code, and be the same. So may a number with the 0 of a national one after its country code.
 */
async function possibleRecipients(
	members: readonly string[],
	recipients: readonly string[],
): Promise<Set<string>> {
	if (members.length === 0) return new Set();
	const memberOf = await byVariant(members);
	const recipientOf = await byVariant(recipients);
	const found = new Set<string>();
	for await (const variant of inTurns(recipientOf.keys())) {
		for (const end of endsOf(variant)) {
			const member = memberOf.get(end);
			if (member !== undefined) found.add(member);
		}
	}
	for await (const [variant, member] of inTurns(memberOf))
		if (endsOf(variant).some((end) => recipientOf.has(end))) found.add(member);
	return found;
}

async function byVariant(addresses: readonly string[]): Promise<Map<string, string>> {
	const addressOf = new Map<string, string>();
	for await (const address of inTurns(addresses))
		for (const variant of digitVariants(address)) addressOf.set(variant, address);
	return addressOf;
}

/** The digits of a number, in each variant; [] for a user ID. */
function digitVariants(address: string): string[] {
	const number = numberOf(address);
	if (number === undefined) return [];
	const variants = variantsOf(number).filter((variant) => !variant.startsWith('+'));
	return [...variants, ...withoutNationalZero(number)];
}

/** 4915112345678 for 49015112345678. */
function withoutNationalZero(number: string): string[] {
	const code = COUNTRY_CODE.exec(number)?.[0] ?? '';
	return number[code.length] === '0' ? [code + number.slice(code.length + 1)] : [];
}

/** The country code of a number: one or two digits, or three for all others (ITU-T E.164, assigned country codes). */
const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The shortest number: the same as for an international one. */
const MIN_DIGITS = 7;

/** A number, and what is left of it without its first digits. */
function endsOf(number: string): string[] {
	const ends: string[] = [];
	for (let first = 0; number.length - first >= MIN_DIGITS; first++) ends.push(number.slice(first));
	return ends;
}
