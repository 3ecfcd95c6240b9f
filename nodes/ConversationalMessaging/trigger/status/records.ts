import { KEY_BITS, keyOf, shortened } from '../keys';

/** What becomes of one record in memory. */
export interface Edit {
	id: string;
	/** The status to remember; undefined to forget the record. */
	status?: string;
	/** Whether to keep its ID, so that it can be looked up. */
	keepsId?: boolean;
}

/**
 * The status of every known record, in one of two forms: by its ID if it may have to be looked up, otherwise by a key
 * of at most 42 bits, because the IDs of 100,000 records would not fit into what n8n saves.
 *
 * The fewer bits a key has, the more often two records share one. So a key has the status of each record that has it,
 * and a record counts as unchanged if one of them is its own. A shared key usually hides a change. It can also invent one: a
 * new record passes for the known one with its key, and later that one for the new one. docs/TRIGGER-INTERNALS.md says how rarely.
 */
export class Records {
	constructor(
		readonly ids: ReadonlyMap<string, string> = new Map(),
		readonly keys: ReadonlyMap<number, readonly string[]> = new Map(),
		readonly bits = KEY_BITS,
	) {}

	/** The number of known records of each status. */
	get counts(): Map<string, number> {
		const counts = new Map<string, number>();
		const count = (status: string): void => void counts.set(status, (counts.get(status) ?? 0) + 1);
		for (const status of this.ids.values()) count(status);
		for (const statuses of this.keys.values()) for (const status of statuses) count(status);
		return counts;
	}

	/**
	 * The status in which a record is known; undefined if it is not.
	 *
	 * @param observed its status at the service: of several records with the same key, one with this status counts
	 */
	statusOf(id: string, observed?: string): string | undefined {
		const status = this.ids.get(id);
		if (status !== undefined) return status;
		const statuses = this.keys.get(this.keyOf(id));
		return statuses?.find((each) => isSame(each, observed ?? '')) ?? statuses?.[0];
	}

	/** Whether a record is known. With a shortened key, one with another status is probably another record. */
	knows(id: string, status: string): boolean {
		const known = this.statusOf(id, status);
		if (known === undefined) return false;
		return this.ids.has(id) || this.bits === KEY_BITS || isSame(known, status);
	}

	/** The same object if there is nothing to edit. */
	with(edits: readonly Edit[]): Records {
		if (edits.length === 0) return this;
		const ids = new Map(this.ids);
		const keys = new Map(this.keys);
		for (const { id, status, keepsId } of edits) {
			const key = this.keyOf(id);
			const own = ownStatus(this.keys.get(key) ?? [], status);
			if (!ids.delete(id) && own !== undefined) removeOne(keys, key, own);
			if (status === undefined) continue;
			if (keepsId) ids.set(id, status);
			else addStatuses(keys, key, [status]);
		}
		return new Records(ids, keys, this.bits);
	}

	/** With records that are known to be others than those with the same keys. */
	withOthers(others: readonly { id: string; status: string }[]): Records {
		if (others.length === 0) return this;
		const keys = new Map(this.keys);
		for (const { id, status } of others) addStatuses(keys, this.keyOf(id), [status]);
		return new Records(this.ids, keys, this.bits);
	}

	private keyOf(id: string): number {
		return shortened(keyOf(id), this.bits);
	}
}

/**
 * Which of the statuses of a key is that of a record: the given one, or, if that is new to it, the only one. Of several
 * different ones, it cannot be told.
 */
function ownStatus(statuses: readonly string[], status = ''): string | undefined {
	const known = statuses.find((each) => isSame(each, status));
	return known ?? (new Set(statuses).size === 1 ? statuses[0] : undefined);
}

/** Adds the statuses of further records to those of a key. */
export function addStatuses(
	keys: Map<number, readonly string[]>,
	key: number,
	statuses: readonly string[],
): void {
	const others = keys.get(key);
	keys.set(key, others ? [...others, ...statuses] : statuses);
}

function removeOne(keys: Map<number, readonly string[]>, key: number, status: string): void {
	const statuses = keys.get(key) ?? [];
	const at = statuses.indexOf(status);
	const left = statuses.filter((_status, i) => i !== at);
	if (left.length > 0) keys.set(key, left);
	else keys.delete(key);
}

/** Services spell statuses in several ways; only different letters mean a different status. */
export const isSame = (one: string, other: string): boolean =>
	one === other || one.toUpperCase() === other.toUpperCase();
