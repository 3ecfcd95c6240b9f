import { clock } from '../../api/base/clock';
import { keyOf } from '../keys';

/** What is known of the records of one source between two polls. */
export interface Memory {
	/** Distinguishes this memory from one that began at another time. */
	epoch: string;
	/** The number of polls with events. */
	polls: number;
	/** When the first poll began, and the last one ended, by the service's clock; missing if nothing showed it. */
	start?: number;
	polled?: number;
	/** The last status of each record: by its key if it is looked up once its list does not show it any more, … */
	keys: ReadonlyMap<string, string>;
	/** … and by a hash of 42 bits otherwise. */
	hashes: ReadonlyMap<number, string>;
	/** The statuses of the lists of which every record is remembered: one that is not has entered it. */
	known: ReadonlySet<string>;
	/** Those of the others of which the last reading showed only what was remembered, and those that are unclear. */
	quiet?: readonly string[];
	/** In how many polls in a row one of the lists was not known. */
	unknownFor: number;
	/** Whether records were left out, because they do not fit into the state. */
	isCut: boolean;
	/** The number of records of each list, or the most it can have; of one without pages, how many it showed. */
	totals: Readonly<Record<string, number>>;
	cursor: Cursor;
}

/** The total of a list of several pages that shows none, and was not read to its end. In JSON, there is no Infinity. */
export const UNKNOWN_TOTAL = Number.MAX_SAFE_INTEGER;

/** Where the long lists are read on. */
export interface Cursor {
	/** That of the list; '' before the first page. */
	status: string;
	/** The next page. */
	page: number;
	/** Whether all pages since the first one could be read. */
	isWhole: boolean;
}

/** A memory without records, in which nothing counts as a change. */
export const emptyMemory = (): Memory => ({
	// A clock that was set back must not repeat an earlier epoch.
	epoch: `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 4).toString(36)}`,
	polls: 0,
	keys: new Map(),
	hashes: new Map(),
	known: new Set(),
	unknownFor: 0,
	isCut: false,
	totals: {},
	cursor: { status: '', page: 2, isWhole: true },
});

/** The status in which a record is remembered; undefined if it is not. */
export const rememberedStatus = ({ keys, hashes }: Memory, key: string): string | undefined =>
	keys.get(key) ?? hashes.get(keyOf(key));

/** The memory without the last hashes, so many. The lists that they belong to are not known any more. */
export function withoutHashes(memory: Memory, count: number): Memory {
	const hashes = [...memory.hashes];
	const dropped = new Set(hashes.splice(-count).map(([, status]) => status));
	const known = [...memory.known].filter((status) => status !== '' && !dropped.has(status));
	return { ...memory, hashes: new Map(hashes), known: new Set(known) };
}

/** The length of a hash in the state, and of what is beside a key there: a comma and two quotes, each with a backslash. */
const HASH_CHARS = 7;
const QUOTE_CHARS = 5;

/** The length of `polled` there, which is saved as soon as the memory is cut. */
const POLLED_CHARS = 26;

/**
 * The memory in fewer characters: with fewer hashes or, if there are none, with hashes in place of keys.
 *
 * @param excess how many characters to save
 * @returns undefined if there is nothing left to save
 */
export function shortened(memory: Memory, excess: number): Memory | undefined {
	if (memory.hashes.size > 0)
		return { ...withoutHashes(memory, Math.ceil(excess / HASH_CHARS)), isCut: true };
	const keys = [...memory.keys];
	if (keys.length === 0) return undefined;
	const asHashes = new Map<number, string>();
	for (let saved = -POLLED_CHARS; saved < excess && keys.length > 0; ) {
		const [key, status] = keys.pop() as [string, string];
		asHashes.set(keyOf(key), status);
		saved += key.length + QUOTE_CHARS - HASH_CHARS;
	}
	return { ...memory, keys: new Map(keys), hashes: asHashes, isCut: true };
}
