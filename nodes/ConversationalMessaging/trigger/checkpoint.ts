import { isRecord } from '../api/response';
import type { Backfill, Baseline } from './baseline';
import { isStale, withoutArchives } from './baseline';
import type { Draft } from './fitting';
import { fit } from './fitting';
import { KEY_BITS } from './keys';
import type { Limits } from './limits';
import { LIMITS } from './limits';
import type { ListOrder } from './order';
import { orderText, readOrder } from './orderText';
import { groupsOf, readTracked } from './recordGroups';
import type { Filter } from './subscription';
import { TrackedRecords } from './tracked';
import { isCount, isTexts } from './values';
import { readMemory } from './version1';

/** What is kept of one subscription. */
export interface Checkpoint {
	/** What the baseline belongs to: credential, base URL, workflow, node and subscription. */
	scope: string;
	/** The filter of the last poll. */
	filter: Filter;
	/** The number of consecutive incomplete polls. */
	failures: number;
	/** Missing until a first poll was complete. */
	baseline?: Baseline;
}

/** Checkpoints by event. */
export type Checkpoints = Record<string, Checkpoint>;

/** Distinguishes the format from that of later versions, with which the trigger starts with a new baseline. */
const VERSION = 2;

/**
 * All checkpoints as one text: n8n saves 20,000 records as one text two hundred times as fast as in objects.
 *
 * If it would be too long, it is shortened (`fitting.ts`); docs/TRIGGER.md describes the effect. Only a baseline from
 * which a record is dropped is marked as truncated.
 */
export function encode(checkpoints: Checkpoints, limits: Limits = LIMITS): string {
	const draftOf = (event: string, checkpoint: Checkpoint): EventDraft => {
		const tracked = checkpoint.baseline?.tracked ?? new TrackedRecords();
		const groups = groupsOf(tracked, limits.recentRecords);
		const orders = checkpoint.baseline?.orders ?? {};
		return { event, checkpoint, groups, bits: tracked.bits, orders, dropped: new Set() };
	};
	let drafts = Object.entries(checkpoints).map(([event, each]) => draftOf(event, each));
	let texts = fit(drafts, limits);
	// Rather than dropping records, forget those that were deleted.
	const mustRestart = ({ dropped, checkpoint: { baseline } }: EventDraft): boolean =>
		dropped.size > 0 && baseline !== undefined && isStale(baseline);
	if (drafts.some(mustRestart)) {
		drafts = drafts.map((draft) =>
			draftOf(draft.event, mustRestart(draft) ? restarted(draft.checkpoint) : draft.checkpoint),
		);
		texts = fit(drafts, limits);
	}
	const saved = drafts.map((draft) => [draft.event, savedOf(draft, texts.get(draft) ?? [])]);
	return JSON.stringify({ version: VERSION, checkpoints: Object.fromEntries(saved) as unknown });
}

/** @returns {} for a text that this version cannot read: of another format, damaged, or empty */
export const decode = (text: unknown): Checkpoints => readCheckpoints(parse(text));

/** The checkpoints in the JSON of such a text; {} for anything else. */
export function readCheckpoints(parsed: unknown): Checkpoints {
	if (!isRecord(parsed)) return {};
	const isOld = parsed.version === 1;
	const saved = isOld ? parsed.kinds : parsed.checkpoints;
	if ((!isOld && parsed.version !== VERSION) || !isRecord(saved)) return {};
	const checkpoints: Checkpoints = {};
	for (const [event, value] of Object.entries(saved)) {
		const checkpoint = isOld ? readVersion1(value) : readCheckpoint(value);
		if (checkpoint) checkpoints[event] = checkpoint;
	}
	return checkpoints;
}

const restarted = ({ baseline, ...rest }: Checkpoint): Checkpoint => ({
	...rest,
	baseline: baseline && withoutArchives(baseline),
});

interface EventDraft extends Draft {
	event: string;
	checkpoint: Checkpoint;
}

function savedOf({ checkpoint, bits, orders, dropped }: EventDraft, tracked: string[]): unknown {
	const { baseline, ...rest } = checkpoint;
	if (!baseline) return rest;
	const { exact, backfill } = baseline;
	// Once records were dropped, the order of a list proves what is new. The order from a backfill is not certain
	// enough.
	const kept = dropped.size > 0 && backfill.is !== 'truncated' ? {} : orders;
	return {
		...rest,
		baseline: {
			...baseline,
			exact: exact.filter((status) => !dropped.has(status)),
			backfill: dropped.size > 0 ? { is: 'truncated' } : backfill,
			bits,
			tracked,
			orders: Object.fromEntries(
				Object.entries(kept).map(([status, order]) => [status, orderText(order)]),
			) as unknown,
		},
	};
}

function readCheckpoint(value: unknown): Checkpoint | undefined {
	if (!isRecord(value) || typeof value.scope !== 'string' || !isRecord(value.filter))
		return undefined;
	const { statuses, includeNew } = value.filter;
	if (!isTexts(statuses) || typeof includeNew !== 'boolean' || !isCount(value.failures))
		return undefined;
	const { scope, failures } = value;
	const checkpoint = { scope, filter: { statuses, includeNew }, failures };
	if (value.baseline === undefined) return checkpoint;
	const baseline = readBaseline(value.baseline);
	return baseline && { ...checkpoint, baseline };
}

function readBaseline(value: unknown): Baseline | undefined {
	if (!isRecord(value) || !isTexts(value.tracked) || !isTexts(value.exact)) return undefined;
	const { epoch, exact, bits, eventfulPolls, rotation, counts, cursors, orders, sweeps } = value;
	const { pageSize } = value;
	if (typeof epoch !== 'string' || !isRecord(counts) || !isRecord(cursors)) return undefined;
	if (!isRecord(orders) || !isRecord(sweeps)) return undefined;
	const { left, unlisted } = cursors;
	const perStatus = [...Object.values(counts), ...Object.values(sweeps)];
	const numbers = [eventfulPolls, rotation, pageSize, left, unlisted, ...perStatus];
	const backfill = readBackfill(value.backfill);
	if (!isCount(bits) || bits > KEY_BITS || !numbers.every(isCount) || !backfill) return undefined;
	const tracked = readTracked(value.tracked, bits);
	const read = Object.entries(orders).map(([status, text]) => [status, readOrder(text)] as const);
	if (!tracked || read.some(([, order]) => order === undefined)) return undefined;
	return {
		epoch,
		tracked,
		counts: counts as Record<string, number>,
		exact,
		orders: Object.fromEntries(read) as Record<string, ListOrder>,
		backfill,
		eventfulPolls: eventfulPolls as number,
		rotation: rotation as number,
		pageSize: pageSize as number,
		sweeps: sweeps as Record<string, number>,
		cursors: { left: left as number, unlisted: unlisted as number },
	};
}

function readBackfill(value: unknown): Backfill | undefined {
	if (!isRecord(value)) return undefined;
	const { is, page, pass, last, total, isConsistent } = value;
	if (is === 'complete' || is === 'truncated') return { is };
	if (is !== 'running' || !isCount(page) || (pass !== 1 && pass !== 2) || !isCount(total))
		return undefined;
	const keys: unknown[] = Array.isArray(last) ? last : [undefined];
	if (!keys.every(isCount)) return undefined;
	return { is, page, pass, last: keys, total, isConsistent: isConsistent === true };
}

/** A checkpoint of version 1 of the format. */
function readVersion1(value: unknown): Checkpoint | undefined {
	if (!isRecord(value) || !isRecord(value.filter)) return undefined;
	const { statuses, appeared: includeNew } = value.filter;
	const head = readCheckpoint({ ...value, filter: { statuses, includeNew }, baseline: undefined });
	if (!head || value.memory === undefined) return head;
	const baseline = readMemory(value.memory);
	return baseline && { ...head, baseline };
}

/** The JSON of a text; undefined if it is none. */
export function parse(text: unknown): unknown {
	try {
		return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
	} catch {
		return undefined;
	}
}
