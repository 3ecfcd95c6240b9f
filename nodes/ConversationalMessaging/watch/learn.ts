import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import { learned } from './compare';
import type { Kind, Reader, Sighting } from './kind';
import type { Memory } from './memory';
import { Look, sightingsIn, WHOLE } from './reading';

/** How many records of one kind are learned at most. */
export const LEARNED_MOST = 30_000;

/** How many pages one poll reads to learn. */
const PAGES_PER_POLL = 200;

/**
 * Reads on in a long list, so that every record is known: a ticket that is reopened can then be told from a new one.
 * Costs the list's length once. What is not finished, for want of time or for the rate limit, goes on in the next poll
 * and is no failure.
 *
 * @param seen what the same poll saw of the list
 */
export async function learn(
	reader: Reader,
	kind: Kind,
	seen: Look,
	memory: Memory,
): Promise<Memory> {
	const { pages, failure } = seen;
	if (memory.whole || memory.full || failure || pages === undefined) return memory;
	const first = memory.learnedPages + 1;
	const enough = Math.ceil(LEARNED_MOST / kind.pageSize);
	const last = Math.min(pages, enough, memory.learnedPages + PAGES_PER_POLL);
	const sweep = new Look(reader, kind);
	const totals = new Set([memory.total ?? 0]);
	const found: Sighting[][] = [];
	const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
	await inParallel(numbers, MAX_IN_FLIGHT, async (number) => {
		const page = await sweep.readPage({ part: WHOLE, totals, ids: new Set() }, number);
		if (page) found[number - first] = sightingsIn(page.rows, kind);
	});
	const gap = Array.from(found).findIndex((rows) => rows === undefined);
	const complete = gap < 0 ? found : found.slice(0, gap);
	const total = Math.max(...totals);
	const known = learned(memory.known, complete.flat(), kind.hasEnded);
	const learnedPages = memory.learnedPages + complete.length;
	const further = { ...memory, known, learnedPages, total };
	if (learnedPages < Math.min(pages, enough)) return further;
	// Rows shift between pages while they are read: what passed unseen is looked for once more.
	const whole = learnedPages >= pages && known.size >= total;
	const again = !whole && learnedPages >= pages && memory.sweeps === 0;
	if (again) return { ...further, learnedPages: 0, sweeps: 1 };
	return { ...further, whole, full: !whole };
}
