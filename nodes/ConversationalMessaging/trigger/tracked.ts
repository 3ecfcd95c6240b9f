import { KEY_BITS, keyOf, shortened } from './keys';

/** What is kept of a record. */
export interface TrackedRecord {
	status: string;
	/** The number of its observed changes. */
	changes: number;
	/** 2 if it changed or was first seen recently, 1 if earlier, 0 for all others, which are dropped first. */
	recency: 0 | 1 | 2;
}

/** One record's entry in the baseline: before and after. */
export interface Edit {
	id: string;
	from?: TrackedRecord;
	/** undefined to remove it. */
	to?: TrackedRecord;
	/** Whether it is tracked by its ID, to be looked up if it leaves its list. */
	keepsId?: boolean;
}

/**
 * Every known record, in one of two forms: by its ID if it may have to be looked up, otherwise by a key of at most 42
 * bits, because the IDs of 100,000 records would not fit into what n8n saves.
 *
 * The fewer bits a key has, the more often two records share one. So a key represents all records that have it, each
 * with its status, and a record counts as unchanged if one of them has its status, unless the list has grown exactly
 * where the record is. That way a shared key can hide a change, but never invents one.
 */
export class TrackedRecords {
	constructor(
		readonly byId: ReadonlyMap<string, TrackedRecord> = new Map(),
		readonly archived: ReadonlyMap<number, readonly TrackedRecord[]> = new Map(),
		readonly bits = KEY_BITS,
	) {}

	get size(): number {
		let size = this.byId.size;
		for (const records of this.archived.values()) size += records.length;
		return size;
	}

	/** @param status the observed one: of two records with the same key, the one with this status is returned */
	find(id: string, status: string): TrackedRecord | undefined {
		const records = this.candidates(id);
		return records.find((record) => isSame(record.status, status)) ?? records[0];
	}

	/** Every tracked record that this ID may belong to: several if they share a key. */
	candidates(id: string): readonly TrackedRecord[] {
		const record = this.byId.get(id);
		return record ? [record] : (this.archived.get(this.key(id)) ?? []);
	}

	/** Whether a record is known. With a shortened key, one with another status is probably another record. */
	knows(id: string, status: string): boolean {
		const isSure = this.byId.has(id) || this.bits === KEY_BITS;
		return this.candidates(id).some((record) => isSure || isSame(record.status, status));
	}

	key(id: string): number {
		return shortened(keyOf(id), this.bits);
	}

	/** The same object if there is nothing to edit. */
	with(edits: readonly Edit[]): TrackedRecords {
		if (edits.length === 0) return this;
		const byId = new Map(this.byId);
		const archived = new Map(this.archived);
		for (const { id, from, to, keepsId } of edits) {
			const key = this.key(id);
			if (!byId.delete(id) && from) {
				const records = archived.get(key) ?? [];
				const at = records.indexOf(from);
				const left = records.filter((_record, i) => i !== at);
				if (left.length > 0) archived.set(key, left);
				else archived.delete(key);
			}
			if (to && keepsId) byId.set(id, to);
			else if (to) archived.set(key, [...(archived.get(key) ?? []), to]);
		}
		return new TrackedRecords(byId, archived, this.bits);
	}
}

/** Services spell statuses in several ways; only different letters mean a different status. */
export const isSame = (one: string, other: string): boolean =>
	one === other || one.toUpperCase() === other.toUpperCase();
