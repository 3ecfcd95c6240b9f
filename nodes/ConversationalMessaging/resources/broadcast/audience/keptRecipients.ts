import { inTurns } from '../../../api/base/concurrency';
import { countOf } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import type { ExcludedSegment } from './exclusion';

type NamedKeys = Pick<ExcludedSegment, 'name' | 'keys'>;

/** The recipients that are left, and what became of the others. */
interface KeptRecipients<T> {
	kept: T[];
	leftOut: number;
	notes: string[];
}

/**
 * Leaves out excluded recipients, and those who have been among the recipients before.
 *
 * @param addressOf the address of a recipient
 */
export async function keptRecipients<T>(
	recipients: readonly T[],
	addressOf: (recipient: T) => string,
	exclusion: readonly NamedKeys[],
	keepsRepeated = false,
): Promise<KeptRecipients<T>> {
	const seen = new Set<string>();
	const kept: T[] = [];
	const left = new Map(exclusion.map((segment) => [segment, 0]));
	let excluded = 0;
	let inSeveral = 0;
	let repeated = 0;
	for await (const recipient of inTurns(recipients)) {
		const key = customerId(addressOf(recipient)).key;
		const segments = exclusion.filter((segment) => segment.keys.has(key));
		for (const segment of segments) left.set(segment, (left.get(segment) ?? 0) + 1);
		if (segments.length > 1) inSeveral++;
		if (segments.length > 0) excluded++;
		else {
			if (seen.has(key)) repeated++;
			if (!seen.has(key) || keepsRepeated) kept.push(recipient);
		}
		seen.add(key);
	}
	return {
		kept,
		leftOut: excluded + (keepsRepeated ? 0 : repeated),
		notes: [
			...(keepsRepeated ? repeatedNote(repeated) : leftOutNote(repeated, 'repeated recipient')),
			...[...left].flatMap(exclusionNote),
			...(inSeveral > 0
				? [`${inSeveral} of these ${inSeveral === 1 ? 'is' : 'are'} in several segments`]
				: []),
		],
	};
}

const repeatedNote = (count: number): string[] =>
	count > 0
		? [`${countOf(count, 'row')} with the number of an earlier row: each is a message`]
		: [];

/** A segment without numbers has a note of its own. */
const exclusionNote = ([{ name, keys }, count]: [NamedKeys, number]): string[] =>
	count === 0 && keys.size > 0
		? [`No recipient is a member of ${name}`]
		: leftOutNote(count, 'member', ` of ${name}`);

/** "Left out 3 repeated recipients"; [] if there are none. */
export const leftOutNote = (count: number, noun: string, rest = ''): string[] =>
	count > 0 ? [`Left out ${countOf(count, noun)}${rest}`] : [];
