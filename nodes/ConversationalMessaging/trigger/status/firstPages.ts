import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { forEachConcurrent } from '../../api/base/concurrency';
import { type Page, rowKey, pageCount } from '../../api/reads/pages';
import { SMALLEST_PAGE } from '../../api/endpoint';
import { createdAt } from '../created';
import { isNotFound } from '../failures';
import { READS_AT_ONCE } from '../limits';
import { UNKNOWN_TOTAL } from './memory';
import type { ListInPoll, SourcePoll } from './pages';
import type { Reading } from './reading';
import type { List, StatusSource } from './sources/source';

/** Reads the first page of every list, and decides how the others are read. @throws NodeApiError if one of them cannot be read */
export async function readFirstPages(reading: Reading): Promise<void> {
	const { lists, pages, poll } = reading;
	const { requests, subscription } = poll;
	const firsts: (Page | NodeApiError)[] = [];
	await forEachConcurrent(lists, READS_AT_ONCE, async (list, i) => {
		// The event has as many requests of its own. If it starts over in this poll, it may need more.
		requests.budget.spend();
		firsts[i] = await pages
			.request(list, 1)
			.catch((error: unknown) => missingList(reading, list, error));
	});
	const missing = firsts.filter((first) => first instanceof NodeApiError);
	if (missing[0] && missing.length === lists.length) throw missing[0];
	for (const [i, list] of lists.entries()) {
		const first = firsts[i];
		if (first && !(first instanceof NodeApiError))
			addList(reading, list, first, subscription.source);
	}
	chooseShort(reading);
}

function addList(reading: Reading, list: List, first: Page, source: StatusSource): void {
	const { memory, poll, known, totals } = reading;
	const { rows, meta } = first;
	const { status } = list;
	const shownPages = source.hasPages ? pageCount(meta, rows.length) : 1;
	const pages = shownPages ?? (rows.length < SMALLEST_PAGE ? 1 : Infinity);
	const before = memory.totals[status] ?? Infinity;
	const total = meta.total ?? 0;
	const kind = isWindow(first, source) ? 'window' : 'long';
	const unknown = reading.pages.add(first, list);
	// A total of 0 may be wrong, and what was there before would count as new.
	const grown = before > 0 ? Math.max(0, total - before) : 0;
	const wasQuiet = memory.quiet?.includes(status) === true;
	// Once, it is not believed: all records would leave the list, and enter it again. Some services count rows that they never show.
	if (rows.length === 0 && total > 0 && !wasQuiet) {
		reading.inPoll.push({ list, first, pages, kind: 'unclear', unknown, grown, quiet: 1 });
		if (before < Infinity) totals[status] = before;
		return;
	}
	const quiet = wasQuiet && unknown <= grown ? 1 : 0;
	const whole = pages === 1 ? { rows: rows.map((row) => rowKey(row)) } : {};
	if (pages === 1) poll.reports.ends(`pages ${status}`);
	reading.inPoll.push({ list, first, pages, kind, unknown, grown, quiet, ...whole });
	// If nothing shows its length, it counts as a long one.
	const most = Math.min(rows.length * pages, UNKNOWN_TOTAL);
	totals[status] = source.hasPages ? (meta.total ?? most) : rows.length;
	if (kind === 'window') known.delete(status);
	const isWhole = source.hasPages || meta.total === rows.length || rows.length > before;
	// A record that was deleted makes an old one appear.
	const isKept = rows.length - unknown >= before;
	if (memory.known.has(status) && (isWhole || isKept)) reading.entered.set(status, 'any');
	// Also in the poll after one in which it was a window.
	else if (!source.hasPages && isKept) reading.entered.set(status, 'undated');
	reportList(list, first, kind, poll);
}

/** The page sizes of the service are multiples of this (API document, section Limits). */
const PAGE_UNIT = 50;

/** Whether a list without pages may have more records than it shows: by its total, or because it is as long as a full page. */
function isWindow({ rows, meta }: Page, { hasPages, pageSize }: StatusSource): boolean {
	const { length } = rows;
	if (hasPages || length === 0 || meta.total === length) return false;
	return (meta.total ?? 0) > length || length >= pageSize || length % PAGE_UNIT === 0;
}

/** A list that may not show all that it has. */
function reportList(
	{ status }: List,
	first: Page,
	kind: ListInPoll['kind'],
	{ reports, subscription: { source } }: SourcePoll,
): void {
	reports.ends(`list ${status}`);
	const { noun } = source;
	const { rows, meta } = first;
	const of = (meta.total ?? 0) > rows.length ? ` of ${meta.total}` : ', and may have more';
	const ofNew =
		createdAt(rows[0]) === 0
			? ', nor are all new ones, because they do not show when they were created'
			: '';
	if (kind === 'window')
		reports.begins(
			'window',
			shown`The service lists ${rows.length} ${noun}s${of}. Changes of the others are not emitted${ofNew}.`,
			shown`The service lists all ${noun}s.`,
		);
	else reports.ends('window');
	const doubt = source.doubt?.(first);
	if (doubt) reports.begins(`doubt ${status}`, doubt, shown`The list ${status} shows ${noun}s.`);
	else reports.ends(`doubt ${status}`);
}

/** A list with an ID that does not exist any more, such as a segment's, holds up no other. */
function missingList({ poll, memory, totals }: Reading, { status, path }: List, error: unknown) {
	const { reports, subscription } = poll;
	const { noun } = subscription.source;
	if (!(error instanceof NodeApiError) || !path || !isNotFound(error)) throw error;
	const which = shown`The service has no list of ${noun}s with the ID ${status}.`;
	error.description = [error.description, which].filter(Boolean).join(' ');
	const total = memory.totals[status];
	if (total === undefined) throw error;
	totals[status] = total;
	reports.begins(
		`list ${status}`,
		shown`${which} It is left out. Choose another one in the trigger.`,
		shown`The list of ${noun}s with the ID ${status} could be read again.`,
	);
	return error;
}

/** The shortest lists are short, as long as their pages beyond the first ones fit. One request is for the cursor. */
function chooseShort(reading: Reading): void {
	const { memory, inPoll, pages, poll } = reading;
	const { wholePages, mostWholePages } = poll.limits;
	const { otherList, pageSize } = poll.subscription.source;
	/** If nothing shows its length, it is as long as it was. */
	const lengthOf = ({ list: { status }, pages: count }: ListInPoll): number =>
		count < Infinity
			? count
			: Math.max(2, Math.ceil((memory.totals[status] ?? Infinity) / pageSize));
	inPoll.sort((one, other) => lengthOf(one) - lengthOf(other));
	const share = Math.floor(pagesBeyondFirst(inPoll) / 10);
	const most = Math.max(wholePages, Math.min(share, mostWholePages));
	let left = Math.min(most, Math.max(0, pages.left - 1));
	for (const each of inPoll) {
		left -= lengthOf(each) - 1;
		if (each.kind === 'long' && (otherList || left >= 0)) each.kind = 'short';
	}
	if (reading.ofKind('long').length > 0) pages.kept = 1;
}

export const pagesBeyondFirst = (lists: readonly ListInPoll[]): number =>
	lists.reduce((sum, { pages }) => sum + pages - 1, 0);
