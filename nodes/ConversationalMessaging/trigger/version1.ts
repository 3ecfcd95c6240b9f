import { isRecord } from '../api/response';
import type { Baseline } from './baseline';
import { passOf } from './baseline';
import { unplain } from './recordGroups';
import type { TrackedRecord } from './tracked';
import { TrackedRecords } from './tracked';
import { isCount, isTexts } from './values';

/** That of all sources that version 1 read page by page. */
const PAGE_SIZE = 200;

/**
 * The baseline of version 1 of the format: every record with its status, but no totals and no order of lists. The next
 * poll determines those, and reads the list once more.
 *
 * @returns undefined if it is invalid
 */
export function readMemory(memory: unknown): Baseline | undefined {
	if (!isRecord(memory) || !isTexts(memory.known) || typeof memory.epoch !== 'string')
		return undefined;
	const byId = new Map<string, TrackedRecord>();
	const archived = new Map<number, readonly TrackedRecord[]>();
	for (const text of memory.known) {
		const [name = '', count = '', keys = '', ...ids] = text.split(' ');
		if (name === '' || !/^\d+$/.test(count) || !/^[\w-]*$/.test(keys) || keys.length % 7 > 0)
			return undefined;
		const record = { status: unplain(name), changes: Number(count), recency: 0 as const };
		for (const id of ids) byId.set(unplain(id), record);
		for (const key of keys.match(/.{7}/g) ?? []) archived.set(keyFrom(key), [record]);
	}
	const { epoch, eventfulPolls, whole } = memory;
	return {
		epoch,
		tracked: new TrackedRecords(byId, archived),
		counts: {},
		exact: [],
		orders: {},
		backfill: whole === true ? { is: 'complete' } : passOf(1),
		eventfulPolls: isCount(eventfulPolls) ? eventfulPolls : 0,
		rotation: 0,
		pageSize: PAGE_SIZE,
		sweeps: {},
		cursors: { left: 0, unlisted: 0 },
	};
}

/** Version 1 wrote a key as seven characters of six bits: five with the lowest bits of one number first, two of another. */
function keyFrom(text: string): number {
	const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
	const bits = Array.from(text, (char) => alphabet.indexOf(char));
	const high = bits.slice(0, 5).reduceRight((sum, six) => sum * 64 + six, 0);
	return high * 4096 + (bits[5] ?? 0) + (bits[6] ?? 0) * 64;
}
