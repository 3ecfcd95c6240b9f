import { createdAt } from '../created';
import { pagesBeyondFirst } from './firstPages';
import type { ListInPoll } from './pages';
import type { Reading } from './reading';

/** How often a poll reads a list that is not known, at most. */
const MOST_READINGS = 3;

/** After so many readings in a row that show only what was remembered or has entered since the last poll, a list is known. */
const QUIET = 2;

/** In how many polls in a row a list is read in full to become known; then only in some. */
const FIRST_POLLS = 15;

/** New records are on the first page or, if the service lists the oldest first, on the last one. */
export async function readNewest(reading: Reading): Promise<void> {
	for (const each of reading.ofKind('long')) {
		const [top, bottom] = [each.first.rows[0], each.first.rows.at(-1)];
		if (each.pages < Infinity && createdAt(top) < createdAt(bottom))
			await reading.pages.read(each, each.pages, each.pages);
	}
}

/**
 * Lists whose number of records has changed, as far as they fit: otherwise, the cursor comes to the change. What is missing in
 * other lists may be there, so it is read if that takes no more requests than looking it up.
 */
export async function readChanged(reading: Reading): Promise<void> {
	const { memory, pages, totals, poll } = reading;
	let most = Math.max(poll.limits.changedPages, reading.missing.length);
	for (const each of reading.ofKind('long')) {
		const { status } = each.list;
		const before = memory.totals[status];
		const hasChanged = before !== undefined && before !== totals[status];
		const count = each.pages - 1;
		// One request is left to look up what no list shows.
		if (!hasChanged || count > Math.min(most, pages.left - 1)) continue;
		most -= count;
		await reading.readInFull(each);
	}
}

/**
 * Until readings of a list in a row show only what was remembered, what is not remembered may be old. One is not enough: a record can
 * be missing from it, because rows shift between pages.
 */
export async function readUnknown(reading: Reading): Promise<void> {
	const { fillEvery } = reading.poll.limits;
	const { unknownFor, isCut } = reading.memory;
	const isDue = !isCut && (unknownFor < FIRST_POLLS || unknownFor % fillEvery === 0);
	for (const each of reading.inPoll) {
		const { status } = each.list;
		if (reading.known.has(status) || each.kind === 'window' || each.kind === 'unclear') continue;
		for (let i = 0; isDue && each.pages > 1 && each.quiet < QUIET && i < MOST_READINGS; i++) {
			const { left } = reading.pages;
			// Of a list whose length is not shown, as many pages as fit.
			const to = each.pages === Infinity ? left : each.pages;
			if (to > left) break;
			await reading.readInFull(each, { from: 1, to });
		}
		if (each.pages === 1 || each.quiet >= QUIET) reading.known.add(status);
	}
}

/** The other pages of the long lists, and of short ones for which there was not enough, one list after another over all polls. */
export async function readAtCursor(reading: Reading): Promise<void> {
	const { pages, poll, lists } = reading;
	const { cursorPages, cursorPolls } = poll.limits;
	const unread = reading.inPoll.filter((each) => each.pages > 1 && !each.rows);
	const toRead = lists.flatMap((list) => unread.filter((each) => each.list === list));
	pages.kept = 0;
	if (toRead.length === 0) return;
	const all = [...unread, ...reading.ofKind('long').filter(({ rows }) => rows)];
	let left = Math.min(cursorPages, Math.ceil(pagesBeyondFirst(all) / cursorPolls));
	// If the list at the cursor was read in full in this poll, the next one follows.
	const { cursor } = reading;
	const from = lists.findIndex(({ status }) => status === cursor.status);
	let at = toRead.findIndex(({ list }) => lists.indexOf(list) >= from);
	if (at < 0) at = 0;
	let { page, isWhole } = cursor;
	if (toRead[at]?.list.status !== cursor.status) [page, isWhole] = [2, true];
	for (let turn = 0; left > 0 && turn <= toRead.length; turn++) {
		const each = toRead[at] as ListInPoll;
		const to = Math.min(each.pages, page + left - 1);
		const read = await reading.read(each, page, to);
		isWhole &&= !read.hasGaps;
		left -= read.next - page;
		page = read.next;
		if (read.ended === 'early') break;
		if (read.ended !== 'atEnd') continue;
		if (isWhole) poll.reports.ends(`pages ${each.list.status}`);
		at = (at + 1) % toRead.length;
		[page, isWhole] = [2, true];
	}
	reading.cursor = { status: (toRead[at] as ListInPoll).list.status, page, isWhole };
}
