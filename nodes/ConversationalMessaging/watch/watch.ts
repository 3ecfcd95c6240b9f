import type { NodeApiError } from 'n8n-workflow';
import { clock } from '../api/clock';
import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import type { Change, Observation } from './compare';
import { compare, remembered } from './compare';
import { confirm, inDoubt, UNLISTED_LOOK_UPS } from './confirm';
import { learn } from './learn';
import type { Reader, Watched } from './kind';
import { look } from './look';
import type { Memory } from './memory';
import { keyOf } from './memory';
import type { Look } from './reading';

/** What one poll brought for one kind of record. */
export interface Watching {
	/** What to remember; undefined as long as there has been no whole look. */
	memory?: Memory;
	/** All changes, also those that a person does not want to hear of. */
	changes: Change[];
	/** What kept the poll from seeing all. The next one goes on. */
	failure?: NodeApiError;
}

/**
 * Looks at the records of one kind, compares them with what is known, and tells what changed. Nothing but the returned
 * memory has to be kept, and nothing is lost when it is not: the next poll then finds the same changes again.
 *
 * The first look is remembered and brings no changes.
 *
 * @param isWanted which changes become events: the details of those alone are read
 * @throws NodeApiError what will not be better at the next poll, such as a rejected token
 */
export async function watch(
	reader: Reader,
	watched: Watched,
	memory: Memory | undefined,
	isWanted: (change: Change) => boolean,
): Promise<Watching> {
	const seen = await look(reader, watched.kind, memory);
	return memory
		? await lookAgain(reader, watched, memory, seen, isWanted)
		: await lookFirst(reader, watched, seen);
}

async function lookFirst(reader: Reader, { kind }: Watched, seen: Look): Promise<Watching> {
	// Half a look would make everything that it missed look new to the next one.
	if (seen.failure) return { changes: [], failure: seen.failure };
	const first: Memory = {
		epoch: clock.now().toString(36),
		known: remembered(seen.seen, kind.hasEnded),
		total: seen.total,
		partPages: seen.partPages,
		learnedPages: 1,
		sweeps: 0,
		whole: seen.steady || kind.layout !== 'pages',
		full: false,
		eventfulPolls: 0,
		turn: 0,
	};
	return { memory: await learn(reader, kind, seen, first), changes: [] };
}

async function lookAgain(
	reader: Reader,
	watched: Watched,
	memory: Memory,
	seen: Look,
	isWanted: (change: Change) => boolean,
): Promise<Watching> {
	const { kind } = watched;
	const { known } = memory;
	const doubts = inDoubt(seen, memory);
	const confirmed = await confirm(reader, watched, seen, doubts);
	const gone = confirmed.gone.length;
	const observation: Observation = {
		...confirmed,
		seen: [...seen.seen, ...confirmed.seen],
		// As long as the list is being learned, nobody can tell: what is unknown may be old.
		arrivals: memory.full ? (seen.total ?? 0) - (memory.total ?? Infinity) + gone : 0,
	};
	const rules = {
		hasEnded: kind.hasEnded,
		strangerWas: kind.strangerWas,
		whole: memory.whole,
		changesBefore: memory.full ? memory.eventfulPolls : 0,
	};
	let comparison = compare(known, observation, rules);
	if (watched.details) {
		const inFull = new Set(confirmed.seen.map(({ id }) => id));
		const wanted = comparison.changes.filter(
			(change) => isWanted(change) && !inFull.has(change.id),
		);
		comparison = compare(known, await withDetails(reader, seen, observation, wanted), rules);
	}
	const takesTurns = seen.takesTurns || doubts.length >= UNLISTED_LOOK_UPS;
	const next: Memory = {
		...memory,
		known: comparison.known,
		total: totalAfter(memory, seen, comparison.changes, gone),
		partPages: seen.failure ? memory.partPages : seen.partPages,
		whole: memory.whole || seen.steady,
		eventfulPolls: memory.eventfulPolls + (comparison.changes.length > 0 ? 1 : 0),
		turn: memory.turn + (takesTurns ? 1 : 0),
	};
	return {
		memory: await learn(reader, kind, seen, next),
		changes: comparison.changes,
		failure: seen.failure,
	};
}

/**
 * How long the list was, to tell by how much it has grown when the next poll looks.
 *
 * Kept as it was when not everything was seen, so that the next poll searches for what came. Where not every record is
 * known, what came and was found counts, so that it does not make an old record look new.
 */
function totalAfter(
	{ known, total, whole }: Memory,
	seen: Look,
	changes: Change[],
	gone: number,
): number | undefined {
	const told = seen.failure ? undefined : seen.total;
	if (whole || total === undefined) return told ?? total;
	const found = changes.filter(({ id }) => !known.has(keyOf(id))).length;
	return Math.max(total + found - gone, told ?? 0);
}

/** Puts whole records in the place of rows. What could not be read is left out, so that the next poll finds it again. */
async function withDetails(
	reader: Reader,
	seen: Look,
	observation: Observation,
	wanted: Change[],
): Promise<Observation> {
	const records = new Map<string, Change['record']>();
	await inParallel(wanted, MAX_IN_FLIGHT, async ({ id, record }) => {
		// A record that is gone by now did change: its row is what there is of it.
		const read = async () => (await reader.record(id)) ?? record;
		const full = seen.failure ? undefined : await seen.try(read);
		if (full) records.set(id, full);
	});
	const missing = new Set(wanted.map(({ id }) => id).filter((id) => !records.has(id)));
	const kept = observation.seen.filter(({ id }) => !missing.has(id));
	return {
		...observation,
		seen: kept.map((sighting) => ({
			...sighting,
			record: records.get(sighting.id) ?? sighting.record,
		})),
	};
}
