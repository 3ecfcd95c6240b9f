import type { Limits } from '../limits';
import type { Reports } from '../reports';
import type { Memory } from './memory';
import type { Reader } from './reader';
import type { Seen } from './seen';
import type { Subscription } from './sources/source';

/** The poll of one source: what its steps have in common. */
export interface SourcePoll {
	reader: Reader;
	subscription: Subscription;
	/** What was known before. No step changes it. */
	memory: Memory;
	/** What this poll has seen so far. The steps add to it. */
	seen: Seen;
	reports: Reports;
	limits: Limits;
}
