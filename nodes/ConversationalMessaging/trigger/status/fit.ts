import { isOwn } from '../../api/response/names';
import type { Limits } from '../limits';
import type { Cursor, LongList, Memory } from './memory';
import { newLongList } from './memory';
import { addStatuses, Records } from './records';

/** The share of the known records that were deleted from long lists, from which on these are read again. */
const STALE = 0.1;

/**
 * Takes the first of these measures that helps: shorter keys; keys instead of IDs, if these take up more; the long lists read
 * anew, if one record in ten was deleted from them; some records forgotten.
 *
 * @returns undefined if nothing is left to shorten
 */
export function shorten(memory: Memory, excess: number, limits: Limits): Memory | undefined {
	const { ids, keys, bits } = memory.records;
	// Quotes, escaped, and a comma.
	const idsLength = [...ids.keys()].reduce((sum, id) => sum + id.length + 5, 0);
	const keysLength = Math.ceil((keys.size * (bits - Math.log2(keys.size + 1) + 2)) / 6);
	if (keys.size > 0 && bits > limits.keyBits) {
		// Six bits per character, one bit less per key.
		const less = Math.max(1, Math.ceil((excess * 6) / keys.size));
		return { ...memory, records: withBits(memory.records, Math.max(limits.keyBits, bits - less)) };
	}
	if (idsLength > keysLength) return { ...memory, records: withFewerIds(memory.records) };
	if (keys.size === 0) return undefined;
	const deleted = Object.values(memory.long).map(({ drift }) => Math.max(0, -drift));
	if (deleted.reduce((sum, count) => sum + count, 0) > STALE * keys.size) return refilled(memory);
	return withFewerKeys(memory, Math.max(1, Math.ceil(excess / 5)));
}

function withBits({ ids, keys, bits }: Records, fewer: number): Records {
	const shorter = new Map<number, readonly string[]>();
	for (const [key, statuses] of keys)
		addStatuses(shorter, Math.floor(key / 2 ** (bits - fewer)), statuses);
	return new Records(ids, shorter, fewer);
}

/** Half of the records that are known by ID are known by key instead, and are not looked up any more. */
function withFewerIds(records: Records): Records {
	const all = [...records.ids].map(([id, status]) => ({ id, status }));
	return records.with(all.slice(Math.floor(all.length / 2)));
}

/** Forgets all records of long lists, which are filled anew: those that were deleted are not found again. */
function refilled(memory: Memory): Memory {
	const long = Object.keys(memory.long).map((status) => [status, newLongList(false)] as const);
	const { ids, keys, bits } = memory.records;
	const kept = [...keys].flatMap(([key, statuses]): [number, string[]][] => {
		const others = statuses.filter((status) => !isOwn(memory.long, status));
		return others.length > 0 ? [[key, others]] : [];
	});
	const records = new Records(ids, new Map(kept), bits);
	return { ...memory, records, long: Object.fromEntries(long), cursor: unclean(memory) };
}

/** Forgets the records with the highest keys. Their lists are not known any more, and there is no room to fill them. */
function withFewerKeys(memory: Memory, count: number): Memory {
	const { ids, keys, bits } = memory.records;
	const sorted = [...keys].sort(([one], [other]) => one - other);
	const cut = sorted.splice(Math.max(0, sorted.length - count));
	const forgotten = new Set(cut.flatMap(([, statuses]) => statuses));
	const long = Object.entries(memory.long).map(([status, list]): [string, LongList] => [
		status,
		forgotten.has(status) ? { ...newLongList(false), passes: 0 } : list,
	]);
	const isLong = (status: string): boolean => isOwn(memory.long, status);
	const { known } = memory;
	return {
		...memory,
		records: new Records(ids, new Map(sorted), bits),
		long: Object.fromEntries(long),
		cursor: unclean(memory),
		known: [...forgotten].every(isLong)
			? known
			: new Set([...(known === 'all' ? [] : known)].filter((each) => !forgotten.has(each))),
	};
}

/** A pass in which records were forgotten does not make its list known. */
const unclean = ({ cursor }: Memory): Cursor => ({ ...cursor, isClean: false });
