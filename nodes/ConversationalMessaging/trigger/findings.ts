import type { Cursors } from './baseline';
import type { Change } from './diff';
import type { Searched } from './search';

/** The results of a poll. */
export interface Findings extends Searched {
	/** The changes that are reported, or would be if subscribed to. */
	changes: Change[];
	/** IDs of records whose full record could not be fetched: their state is unchanged. */
	withheld: ReadonlySet<string>;
	/** Whether the poll is incomplete. */
	failed: boolean;
	/** Where the next lookups continue. */
	cursors: Cursors;
}
