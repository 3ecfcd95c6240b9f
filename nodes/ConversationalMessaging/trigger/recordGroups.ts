import { decodeKeys, encodeKeys } from './keySet';
import type { TrackedRecord } from './tracked';
import { TrackedRecords } from './tracked';

/** Records with the same status, as many changes and the same recency: as keys, or with their IDs. */
export interface Group extends TrackedRecord {
	keys: number[];
	ids: string[];
}

/** The groups of all records; those that changed recently become older ones once there are many. */
export function groupsOf({ byId, archived }: TrackedRecords, recentRecords: number): Group[] {
	const groups = new Map<string, Group>();
	const groupOf = (record: TrackedRecord): Group => {
		const { status, changes, recency } = record;
		const name = [recency, changes, status].join(' ');
		const group = groups.get(name) ?? { status, changes, recency, keys: [], ids: [] };
		groups.set(name, group);
		return group;
	};
	for (const [id, record] of byId) groupOf({ ...record, recency: 2 }).ids.push(id);
	let recent = 0;
	for (const [key, records] of archived)
		for (const record of records) {
			groupOf(record).keys.push(key);
			if (record.recency === 2) recent++;
		}
	if (recent <= recentRecords) return [...groups.values()];
	// Recent changes make room for future ones.
	const older: Group[] = [];
	for (const group of groups.values()) {
		const recency = Math.max(0, group.recency - 1) as Group['recency'];
		older.push({ ...group, recency, ids: [] });
		if (group.ids.length > 0) older.push({ ...group, keys: [] });
	}
	return merged(older);
}

/** One group for those with the same recency, status and, unless this says otherwise, number of changes. */
function merged(groups: Group[], byChanges = true): Group[] {
	const byName = new Map<string, Group>();
	for (const group of groups) {
		const { recency, status, changes } = group;
		const name = [recency, byChanges ? changes : '', status].join(' ');
		const same = byName.get(name);
		if (same) {
			same.keys = same.keys.concat(group.keys);
			same.ids = same.ids.concat(group.ids);
			same.changes = Math.max(same.changes, changes);
		} else byName.set(name, { ...group });
	}
	return [...byName.values()];
}

/**
 * Fewer and longer groups take up less room. Each record gets the highest number of changes of its group, so that its
 * next event does not get the ID of an earlier one.
 */
export const withoutOwnChanges = (groups: Group[]): Group[] => merged(groups, false);

export const isFilled = ({ keys, ids }: Group): boolean => keys.length > 0 || ids.length > 0;

/**
 * A group as text: status, changes, recency, keys and IDs separated by spaces, without characters that JSON escapes.
 */
export function textOf({ status, changes, recency, keys, ids }: Group): string {
	return [plain(status), changes, recency, encodeKeys(keys), ...ids.map(plain)].join(' ');
}

/** The records of these texts; undefined if one of them is invalid. */
export function readTracked(texts: string[], bits: number): TrackedRecords | undefined {
	const byId = new Map<string, TrackedRecord>();
	const archived = new Map<number, readonly TrackedRecord[]>();
	for (const text of texts) {
		const [name = '', changes = '', recency = '', keysText = '', ...ids] = text.split(' ');
		const status = unplain(name);
		const keys = decodeKeys(keysText);
		if (status === '' || !/^\d+$/.test(changes) || !/^[012]$/.test(recency) || !keys)
			return undefined;
		const record = { status, changes: Number(changes), recency: Number(recency) } as TrackedRecord;
		for (const id of ids) byId.set(unplain(id), record);
		const alone = [record];
		for (const key of keys) {
			const others = archived.get(key);
			archived.set(key, others ? [...others, record] : alone);
		}
	}
	return new TrackedRecords(byId, archived, bits);
}

/**
 * Encodes text without spaces and without characters that JSON escapes. Unlike encodeURIComponent, it accepts any
 * text.
 */
export const plain = (text: string): string =>
	text.replace(/[^!#-$&-[\]-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const unplain = (text: string): string =>
	text.replace(/%([\da-f]{4})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
