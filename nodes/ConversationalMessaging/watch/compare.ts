import type { Sighting } from './kind';
import type { Entry, Known } from './memory';
import { keyOf } from './memory';

/** A record that stands elsewhere than it was known to. */
export interface Change extends Sighting {
	/** null for a record that is new. */
	previousStatus: string | null;
	/** Which change of the record it is, from 1. */
	ordinal: number;
}

/** What a poll found out for certain. What it says nothing about stays as it is known. */
export interface Observation {
	/** Where records stand, each once. */
	seen: Sighting[];
	/** IDs of records that exist no more. */
	gone: string[];
	/** IDs of records that exist, but are no longer part of what is watched. */
	outside: string[];
	/** How many records can be new, by the length of the list. */
	arrivals: number;
}

/** How to take a record that is not known. */
export interface Rules {
	hasEnded: (status: string) => boolean;
	/** What it stood at before; null when it is new. */
	strangerWas: string | null;
	/** Whether every record is known: an unknown one is then certainly new. */
	whole: boolean;
	/** How many changes to count it from. Above 0, where it may be a record that was forgotten. */
	changesBefore: number;
}

export interface Comparison {
	/** In the order in which the records were seen. */
	changes: Change[];
	/** The very same when nothing has to be remembered anew. */
	known: Known;
}

/**
 * Compares what is known with what was seen. Right against any older knowledge: a change is told by where a record
 * stood then and where it stands now.
 *
 * An unknown record is new. Where not every record is known, an unknown one that has ended may be old as well: it
 * counts as new only while the list grew by as many as are unknown, and is only remembered otherwise.
 */
export function compare(known: Known, observation: Observation, rules: Rules): Comparison {
	const { seen, gone, outside, arrivals } = observation;
	// Once per record: making keys is most of the work.
	const keys = seen.map(({ id }) => keyOf(id));
	const allNew = rules.whole || keys.filter((key) => !known.has(key)).length <= arrivals;
	const changes: Change[] = [];
	const updated = new Map<string, Entry>();
	const forgotten = new Set(gone.map(keyOf));

	seen.forEach((sighting, index) => {
		const { status } = sighting;
		const key = keys[index] as string;
		const entry = known.get(key);
		const remember = (changesOfIt: number): void => {
			updated.set(key, entryOf(sighting, changesOfIt, rules));
		};
		if (!entry) {
			if (!allNew && rules.hasEnded(status)) {
				remember(0);
				return;
			}
			const ordinal = rules.changesBefore + 1;
			changes.push({ ...sighting, previousStatus: rules.strangerWas, ordinal });
			remember(ordinal);
		} else if (!sameStatus(entry.status, status)) {
			const ordinal = entry.changes + 1;
			changes.push({ ...sighting, previousStatus: entry.status, ordinal });
			remember(ordinal);
		} else if (entry.id === undefined && !rules.hasEnded(status)) {
			remember(entry.changes);
		}
	});
	for (const id of outside) {
		const key = keyOf(id);
		const entry = updated.get(key) ?? known.get(key);
		if (entry?.id !== undefined) updated.set(key, { status: entry.status, changes: entry.changes });
	}
	return { changes, known: merged(known, updated, forgotten) };
}

/** Nothing is reported of what is remembered for the first time. */
export function remembered(seen: Sighting[], hasEnded: Rules['hasEnded']): Known {
	return new Map(seen.map((sighting) => [keyOf(sighting.id), entryOf(sighting, 0, { hasEnded })]));
}

/** Adds older records that are not known yet, behind all others. */
export function learned(known: Known, seen: Sighting[], hasEnded: Rules['hasEnded']): Known {
	const strangers = seen.filter(({ id }) => !known.has(keyOf(id)));
	return strangers.length === 0 ? known : new Map([...known, ...remembered(strangers, hasEnded)]);
}

/**
 * Known records of some statuses that were not seen, and that may stand elsewhere now. Absence alone is no change: rows
 * shift between pages while a list is read.
 *
 * @param seen keys of the records that were seen
 * @param applies to which statuses
 * @returns IDs
 */
export function doubtful(
	known: Known,
	seen: ReadonlySet<string>,
	applies: (status: string) => boolean,
): string[] {
	const ids: string[] = [];
	for (const [key, { id, status }] of known) {
		if (id !== undefined && !seen.has(key) && applies(status)) ids.push(id);
	}
	return ids;
}

function entryOf(
	{ id, status }: Sighting,
	changes: number,
	{ hasEnded }: Pick<Rules, 'hasEnded'>,
): Entry {
	return hasEnded(status) ? { status, changes } : { status, changes, id };
}

const sameStatus = (one: string, other: string): boolean =>
	one === other || one.toUpperCase() === other.toUpperCase();

/** What is new comes first: when there is too much to remember, the end is forgotten. */
function merged(known: Known, updated: Known, forgotten: ReadonlySet<string>): Known {
	const obsolete = [...forgotten].some((key) => known.has(key));
	if (updated.size === 0 && !obsolete) return known;
	const next = new Map(updated);
	for (const [key, entry] of known) {
		if (!next.has(key) && !forgotten.has(key)) next.set(key, entry);
	}
	return next;
}
