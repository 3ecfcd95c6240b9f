import { NumberSet } from './numberSet';

/** What becomes of a phone number: it was excluded, or an earlier recipient has it, or neither. */
export type Verdict = 'excluded' | 'repeated' | 'kept';

const NOBODY = new NumberSet();

/** Decides for one phone number after another who is left out of a broadcast, and counts them. */
export class RecipientFilter {
	repeated = 0;

	excluded = 0;

	private readonly seen = new NumberSet();

	constructor(private readonly excludedNumbers: NumberSet = NOBODY) {}

	/** @param digits of a phone number with country code, at most 15 */
	judge(digits: string): Verdict {
		const number = Number(digits);
		if (this.excludedNumbers.has(number)) {
			this.excluded++;
			return 'excluded';
		}
		if (this.seen.add(number)) return 'kept';
		this.repeated++;
		return 'repeated';
	}
}
