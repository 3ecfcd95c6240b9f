import { KEY_BITS, keyOf, shortened } from './keys';

/** What is remembered of a record. */
export interface TrackedRecord {
	status: string;
	/** How many changes of it were noticed. */
	changes: number;
	/** 2 when it changed or turned up lately, 1 when that was earlier, 0 for all others: those are dropped first. */
	recency: 0 | 1 | 2;
}

/** One record's place in the baseline: where it was, and where it is to be. */
export interface Edit {
	id: string;
	from?: TrackedRecord;
	/** undefined: it is forgotten. */
	to?: TrackedRecord;
	/** Whether it is kept by its ID, to be looked up when it leaves its list. */
	named?: boolean;
}

/**
 * Every record that is known, in two ways: by its ID, where it may have to be looked up; all others by a key of 42 bits
 * at most, because IDs of 100,000 records would not fit into what n8n saves.
 *
 * The fewer bits a key has, the more often two records share one. So a key stands for as many records as have it, each
 * with its status, and a record counts as unchanged as soon as one of them has its status. That way a shared key can
 * hide a change (at 100,000 records, one in 5,000), but never invents one.
 */
export class TrackedRecords {
	constructor(
		readonly named: ReadonlyMap<string, TrackedRecord> = new Map(),
		readonly archived: ReadonlyMap<number, readonly TrackedRecord[]> = new Map(),
		readonly bits = KEY_BITS,
	) {}

	get size(): number {
		let size = this.named.size;
		for (const records of this.archived.values()) size += records.length;
		return size;
	}

	/** @param status with which it was seen: of two records with one key, the one with this status is meant */
	find(id: string, status: string): TrackedRecord | undefined {
		const named = this.named.get(id);
		if (named) return named;
		const records = this.archived.get(this.key(id));
		return records?.find((record) => isSame(record.status, status)) ?? records?.[0];
	}

	key(id: string): number {
		return shortened(keyOf(id), this.bits);
	}

	/** The same object when there is nothing to edit. */
	with(edits: readonly Edit[]): TrackedRecords {
		if (edits.length === 0) return this;
		const named = new Map(this.named);
		const archived = new Map(this.archived);
		for (const { id, from, to, named: byId } of edits) {
			const key = this.key(id);
			if (!named.delete(id) && from) {
				const records = archived.get(key) ?? [];
				const at = records.indexOf(from);
				const left = records.filter((_record, i) => i !== at);
				if (left.length > 0) archived.set(key, left);
				else archived.delete(key);
			}
			if (to && byId) named.set(id, to);
			else if (to) archived.set(key, [...(archived.get(key) ?? []), to]);
		}
		return new TrackedRecords(named, archived, this.bits);
	}
}

/** Services spell statuses in several ways; only other letters are another status. */
export const isSame = (one: string, other: string): boolean =>
	one === other || one.toUpperCase() === other.toUpperCase();
