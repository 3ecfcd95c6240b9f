import { readFirstPages } from './firstPages';
import { readAtCursor, readChanged, readNewest, readUnknown } from './longLists';
import type { Memory } from './memory';
import { findMissing } from './missing';
import type { SourcePoll } from './pages';
import { Reading } from './reading';

/**
 * Reads the lists of one source in one poll, and what left them. A record that cannot be read holds up no other.
 *
 * @throws NodeApiError if the first page of a list cannot be read
 */
export async function readLists(poll: SourcePoll, memory: Memory): Promise<Reading> {
	const reading = new Reading(poll, memory);
	await readFirstPages(reading);
	// The shortest ones, as many as fit into some pages.
	for (const each of reading.ofKind('short')) if (!each.rows) await reading.readInFull(each);
	await readNewest(reading);
	await readChanged(reading);
	await findMissing(reading);
	await readUnknown(reading);
	await readAtCursor(reading);
	reading.pages.report();
	return reading;
}
