import type { Kind, Reader } from './kind';
import type { Memory } from './memory';
import type { Opened } from './reading';
import { isSteady, Look, WHOLE } from './reading';

/** A list of so many pages is read whole in every poll. */
const SMALL_PAGES = 4;

/** From so many pages of parts on, the head of the list and the last page of the longest part take turns. */
const MANY_PAGES = 5;

/** How many pages are read at most in search of new records that the head of the list does not show. */
const SEARCHED_MOST = 100;

/**
 * Looks at all records of a kind that can have changed, in as few requests as that takes.
 *
 * A list of a few pages is read whole. Of a longer one, the parts where records still move are read in full, and the
 * head of the whole list, where new records turn up. What the list's length says is missing there is searched for.
 *
 * @param memory what is known so far; undefined at the first poll
 */
export async function look(reader: Reader, kind: Kind, memory?: Memory): Promise<Look> {
	const result = new Look(reader, kind);
	if (kind.layout === 'recent') await result.readRecent();
	else if (kind.layout === 'parts') await lookAtParts(result, memory, 0);
	else await lookAtPages(result, memory);
	return result;
}

async function lookAtPages(result: Look, memory?: Memory): Promise<void> {
	const { partPages = 0, total = Infinity, turn = 0 } = memory ?? {};
	const small = Math.max(SMALL_PAGES, partPages + 1);
	result.takesTurns = partPages >= MANY_PAGES && total > small * result.kind.pageSize;
	if (result.takesTurns && turn % 2 === 1) {
		await lookAtParts(result, memory, 0);
		return;
	}
	const head = await result.open(WHOLE);
	if (!head) return;
	[result.total] = head.totals;
	result.pages = head.rest && head.rest.length + 1;
	if (result.pages !== undefined && result.pages <= small) {
		result.everything = await (memory ? result.finish(head) : result.finishFirst(head));
		result.steady = result.everything && isSteady(head);
		result.partPages = result.pagesOfParts();
		return;
	}
	await lookAtParts(result, memory, result.takesTurns ? 1 : 0);
	if (memory) await search(result, head, memory);
}

/** @param leaveOut how many pages to leave out at the end of the longest part */
async function lookAtParts(
	result: Look,
	memory: Memory | undefined,
	leaveOut: number,
): Promise<void> {
	const parts = await Promise.all(result.kind.parts.map(async (part) => await result.open(part)));
	const opened = parts.filter((part) => part !== undefined);
	const pagesOf = ({ rest = [] }: Opened): number => rest.length + 1;
	result.partPages = opened.reduce((sum, part) => sum + pagesOf(part), 0);
	const longest = opened.reduce<Opened | undefined>(
		(most, part) => (most && pagesOf(most) >= pagesOf(part) ? most : part),
		undefined,
	);
	const leftOut = (part: Opened): number => (part === longest && pagesOf(part) > 1 ? leaveOut : 0);
	await Promise.all(
		opened.map(async (part) =>
			memory ? await result.finish(part, leftOut(part)) : await result.finishFirst(part),
		),
	);
}

/**
 * Searches for new records that have ended already and that the head of the list does not show: many at once, or in
 * a list that begins with the oldest. The order of lists is undocumented; their length tells that something is missing.
 */
async function search(result: Look, head: Opened, memory: Memory): Promise<void> {
	const { rest = [] } = head;
	const { total } = result;
	if (total === undefined || memory.total === undefined || !memory.whole) return;
	const growth = total - memory.total;
	if (growth <= 0) return;
	const enough = 2 * (1 + Math.ceil(growth / result.kind.pageSize));
	// From both ends: the second page, the last one, the third one, the last but one.
	const order = rest.flatMap((page, i) => [page, rest[rest.length - 1 - i] ?? page]);
	for (const page of [...new Set(order)].slice(0, Math.min(enough, SEARCHED_MOST))) {
		if (result.failure || result.strangers(memory) >= growth) return;
		await result.readPage(head, page);
	}
}
