import { contactKey } from '../../../parameters/address';
import { countOf } from '../../../parameters/values';

/** The recipients that are left, and what became of the others. */
interface KeptRecipients<T> {
	kept: T[];
	leftOut: number;
	notes: string[];
}

/**
 * Leaves out excluded recipients, and those who have been among the recipients before.
 *
 * @param addressesOf all addresses of a recipient, the one to send to first
 * @param excluded keys of contacts
 */
export function keptRecipients<T>(
	recipients: readonly T[],
	addressesOf: (recipient: T) => readonly string[],
	excluded: ReadonlySet<string>,
	keepsRepeated = false,
): KeptRecipients<T> {
	const seen = new Set<string>();
	const kept: T[] = [];
	let excludedMembers = 0;
	let repeated = 0;
	for (const recipient of recipients) {
		const keys = addressesOf(recipient).map(contactKey);
		const [key = ''] = keys;
		if (keys.some((each) => excluded.has(each))) excludedMembers++;
		else if (seen.has(key) && !keepsRepeated) repeated++;
		else kept.push(recipient);
		seen.add(key);
	}
	return {
		kept,
		leftOut: excludedMembers + repeated,
		notes: [
			...leftOutNote(repeated, 'repeated recipient'),
			...leftOutNote(excludedMembers, 'member', ' of Exclude Segment'),
		],
	};
}

/** "Left out 3 repeated recipients"; [] if there are none. */
export const leftOutNote = (count: number, noun: string, rest = ''): string[] =>
	count > 0 ? [`Left out ${countOf(count, noun)}${rest}`] : [];
