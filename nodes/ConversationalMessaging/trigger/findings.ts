import type { Cursors } from './baseline';
import type { Change } from './diff';
import type { Searched } from './search';

/** What a poll found out. */
export interface Findings extends Searched {
	/** The changes that are reported, or would be if they were subscribed to. */
	changes: Change[];
	/** IDs of records whose change could not be read in full: they stay as they were. */
	withheld: ReadonlySet<string>;
	/** Whether something kept the poll from seeing everything. */
	failed: boolean;
	/** Where the next look-ups go on. */
	cursors: Cursors;
}
