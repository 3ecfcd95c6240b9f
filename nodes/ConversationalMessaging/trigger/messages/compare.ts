import { clock } from '../../api/clock';
import type { MessageBaseline } from './baseline';
import { readCounts } from './channels';
import { readChats } from './chatReads';
import { showNoNews } from './counts';
import { checkRows } from './evidence';
import { listChats } from './listing';
import { withFirstListed } from './listPass';
import { nextBaseline } from './nextBaseline';
import type { Compared, PollRun } from './run';
import { selectChats } from './selection';
import { readInParts, tooLong, watchedInTurn } from './texts';
import { readInTurn } from './turns';

/** Every poll but the first one: finds the chats with new messages, and reads them. Each step has its own file. */
export async function compareWithService(
	run: PollRun,
	baseline: MessageBaseline,
): Promise<Compared> {
	const { reads, limits, log } = run;
	const now = clock.now();
	const isCheck = baseline.polls % limits.checkEvery === limits.checkEvery - 1;
	const counted = await readCounts(run, baseline, isCheck);
	if (reads.failure) return { baseline, read: [] };
	const polls = baseline.polls + 1;
	if (
		counted.counts &&
		!baseline.isPending &&
		baseline.again.length === 0 &&
		!isCheck &&
		showNoNews(counted.counts, limits.proofs, baseline.method)
	)
		return { baseline: { ...counted, polls, since: now }, read: [] };

	const listing = await listChats(reads, counted, limits);
	if (!listing) return { baseline, read: [] };
	if (listing.part && !baseline.list) log(readInParts(listing, reads.listPages));
	if (listing.isTooLong && isCheck) log(tooLong(limits));
	const known = withFirstListed(counted, listing);
	const selection = selectChats(listing, known, reads.budget, limits);
	const urgent = await readChats(run, known, selection.chats, () => reads.remaining <= 0);
	const isPart = listing.part !== undefined;
	const turns = { isCheck, isPart, until: now + limits.inTurnMs };
	const inTurn = await readInTurn(run, known, selection, urgent, turns);
	const read = [...urgent, ...inTurn.read];
	const rows = await checkRows(reads, known, listing, selection, read, limits);
	const { volatile } = rows;
	const { cursor } = inTurn;
	// In turn, the next poll stays on its pages until all of their chats are read.
	const isPartDone = baseline.method === 'rows' || inTurn.isRoundOver;
	const polledAt = baseline.counts?.readAt;
	const findings = { listing, selection, read, now, volatile, isPartDone, polledAt };
	const next = {
		...nextBaseline(run, known, findings),
		polls,
		cursor,
		listings: baseline.listings + 1,
	};
	if (!reads.isComplete) return { baseline: next, read };
	const { rounds, since } = baseline;
	const isRoundOver = inTurn.isRoundOver && listing.part?.next === undefined;
	const isSwitched = rows.method !== baseline.method;
	if (isSwitched) log(watchedInTurn(next.chats.size, reads.budget));
	return {
		baseline: {
			...next,
			...rows,
			rounds: isSwitched
				? { began: since, before: since }
				: isRoundOver
					? { began: now, before: rounds.began }
					: rounds,
		},
		read,
	};
}
