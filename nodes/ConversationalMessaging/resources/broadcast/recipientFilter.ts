import { comparableDigits, dialedDigits, internationalDigits } from '../../parameters/phone';
import { NumberSet } from './numberSet';

/** What becomes of a phone number: it was excluded, or an earlier recipient has it, or neither. */
export type Verdict = 'excluded' | 'repeated' | 'kept';

const NOBODY = new NumberSet();

/**
 * A phone number as a recipient's is compared with others: equal for the spellings of one WhatsApp account.
 *
 * @param digits with country code, at most 15
 */
export const comparableNumber = (digits: string): number => Number(comparableDigits(digits));

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
	 * if an earlier one has the same digits, or if it is another spelling of a valid number that was kept before, such as
	 * one with 00. A valid number after such a value is kept, because the service may not deliver to that value. It is not
	 * compared with the excluded numbers.
	 */
	judgeInvalid(value: string): Exclude<Verdict, 'excluded'> {
		const digits = dialedDigits(value);
		if (digits === undefined) return 'kept';
		const number = internationalDigits(value);
		const isKept = number !== undefined && this.seen.has(comparableNumber(number));
		if (!isKept && this.seenInvalid.add(Number(`1${digits}`))) return 'kept';
		this.repeated++;
		return 'repeated';
	}
}
