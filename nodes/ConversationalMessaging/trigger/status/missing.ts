import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { hides } from '../contradicts';
import { keyOf } from '../keys';
import { rememberedStatus } from './memory';
import type { ListInPoll } from './pages';
import type { Reading } from './reading';
import { lookUp, readRecords } from './records';
import type { List, ObservedRecord } from './sources/source';

/** How often a list is read again, at most, to find out what left it. */
const MOST_REPEATS = 2;

/**
 * Finds out what became of records that their lists do not show any more. Absence alone is no change, because rows shift while
 * pages are read.
 */
export async function findMissing(reading: Reading): Promise<void> {
	const { source } = reading.poll.subscription;
	if (source.otherList) await readOtherList(reading, source.otherList);
	await (source.absenceIsRemoval ? forgetAbsent : lookUpMissing)(reading);
}

/**
 * A list that is too long for every poll, if that takes fewer requests than to look up all that may have entered it: from where the
 * last poll ended. A third of the requests is left to look up what no list shows.
 */
async function readOtherList(reading: Reading, list: List): Promise<void> {
	const { pages, poll, missing, cursor } = reading;
	if (missing.length <= poll.limits.changedPages) {
		poll.reports.ends(`pages ${list.status}`);
		return;
	}
	const first = { rows: [], meta: {} };
	const each: ListInPoll = {
		list,
		first,
		pages: Infinity,
		kind: 'long',
		unknown: 0,
		grown: 0,
		quiet: 0,
	};
	const { status } = list;
	const { page, isWhole } = cursor.status === status ? cursor : { page: 1, isWhole: true };
	const most = Math.min(missing.length, Math.ceil((pages.left * 2) / 3));
	const read = await pages.read(each, page, page + most - 1, new Set(missing));
	const isRead = isWhole && !read.hasGaps;
	if (read.ended === 'atEnd' && isRead) poll.reports.ends(`pages ${status}`);
	reading.cursor =
		read.ended === 'atEnd'
			? { status, page: 1, isWhole: true }
			: { status, page: read.next, isWhole: isRead };
}

async function lookUpMissing(reading: Reading): Promise<void> {
	const { memory, pages, poll, missing, gone, inPoll, listOf } = reading;
	const { requests, subscription, reports } = poll;
	const { noun, lookUpLists = 0 } = subscription.source;
	/** A filter by something that it does not show keeps it from the list of its status: rows of a single page do not shift. */
	const isOutOfScope = ({ key, status, record }: ObservedRecord): boolean =>
		hides(record, subscription.scope) &&
		status === rememberedStatus(memory, key) &&
		inPoll.some((each) => each.pages === 1 && each.list === listOf(status));
	// From a random one on, so that those that cannot be read do not hold up the others for ever.
	const start = Math.floor(clock.random() * missing.length);
	const keys = [...missing.slice(start), ...missing.slice(0, start)];
	const { results, failure, isOver } = await readRecords(
		keys,
		requests.budget,
		async (key) => (pages.mayRead() ? await lookUp(requests, subscription, key) : undefined),
		1 + lookUpLists,
	);
	if (isOver) pages.stop();
	for (const [key, result] of results) {
		if (result?.is === 'found') {
			if (isOutOfScope(result.observed)) gone.set(key, 'outOfScope');
			else pages.seen.set(key, result.observed);
		} else if (result?.is === 'deleted' || result?.is === 'outOfScope') gone.set(key, result.is);
	}
	const isUnknown = [...results.values()].some((result) => result?.is === 'unknown');
	const reason = failure?.message ?? (isUnknown ? 'No response shows its status.' : undefined);
	if (reason !== undefined)
		reports.begins(
			'lookUps',
			shown`Not every ${noun} that left its list could be looked up. If its status has changed, the event comes once the service returns it. ${reason}`,
			shown`Every ${noun} that left its list can be looked up again.`,
		);
	else if (keys.every((key) => results.get(key) !== undefined)) reports.ends('lookUps');
}

/**
 * Forgets what a list that was read in full does not show any more: one with a single page that has as many rows as its total says, or
 * after two readings in a row with the same rows in the same order, which show that it was like that between them.
 */
async function forgetAbsent(reading: Reading): Promise<void> {
	const { memory, seen, absent } = reading;
	const absentIn = ({ list }: ListInPoll): number[] => {
		const hashes = new Set([...seen.keys()].map(keyOf));
		return [...memory.hashes].flatMap(([hash, status]) =>
			status === list.status && !hashes.has(hash) ? [hash] : [],
		);
	};
	for (const each of reading.inPoll.filter(({ rows }) => rows)) {
		let isSteady = each.pages === 1 && each.first.meta.total === each.first.rows.length;
		for (let i = 0; !isSteady && i < MOST_REPEATS && absentIn(each).length > 0; i++) {
			const before = each.rows?.join();
			if (!(await reading.readInFull(each, { from: 1 }))) break;
			isSteady = each.rows?.join() === before;
		}
		for (const hash of isSteady ? absentIn(each) : []) absent.add(hash);
	}
}
