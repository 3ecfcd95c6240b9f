import { comparableDigits, dialedDigits } from '../../parameters/phone';
import { NumberSet } from './numberSet';

/** What becomes of a phone number: it was excluded, or an earlier recipient has it, or neither. */
export type Verdict = 'excluded' | 'repeated' | 'kept';

const NOBODY = new NumberSet();

/** More than any valid number, which has at most 15 digits. */
const NATIONAL = 1e15;

/**
 * A phone number as a recipient's is compared with others: equal for the spellings of one WhatsApp account.
 *
 * A contact may have a national number, such as 01512 3456789. Without its 0, it would be a number of another country.
 *
 * @param digits with country code, perhaps after 00, at most 15
 */
export function comparableNumber(digits: string): number {
	const number = digits.replace(/^00/, '');
	return number.startsWith('0') ? NATIONAL + Number(number) : Number(comparableDigits(number));
}

/** Decides for one phone number after another who is left out of a broadcast, and counts them. */
export class RecipientFilter {
	repeated = 0;

	excluded = 0;

	private readonly seen = new NumberSet();

	/** Values that are not valid numbers, as their digits after a 1: leading zeros count. */
	private readonly seenInvalid = new NumberSet();

	constructor(private readonly excludedNumbers: NumberSet = NOBODY) {}

	/** @param digits of a phone number with country code, at most 15 */
	judge(digits: string): Verdict {
		const number = comparableNumber(digits);
		if (this.excludedNumbers.has(number)) {
			this.excluded++;
			return 'excluded';
		}
		if (this.seen.add(number)) return 'kept';
		this.repeated++;
		return 'repeated';
	}

	/**
	 * Decides for a value that is not a valid phone number. The service may deliver to it nevertheless, so it is repeated
	 * if an earlier one has the same digits, or if it is a valid number after 00 that was kept before. A valid number after
	 * such a value is kept, because the service may not deliver to that value. It cannot be compared with the excluded
	 * numbers.
	 */
	judgeInvalid(value: string): Exclude<Verdict, 'excluded'> {
		const digits = dialedDigits(value);
		if (digits === undefined) return 'kept';
		const isKeptWithout00 = digits.startsWith('00') && this.seen.has(comparableNumber(digits));
		if (!isKeptWithout00 && this.seenInvalid.add(Number(`1${digits}`))) return 'kept';
		this.repeated++;
		return 'repeated';
	}
}
