/**
 * How a certain service shapes its responses, as a check of it has found out (`npm run check-service`): names of keys,
 * places, orders, page sizes, headers and states. `npm run sandbox -- --like report.json` starts the sandbox like it.
 */
import { readFileSync } from 'node:fs';
import type { PageSize } from './contract.mts';
import type { SandboxSettings } from './options.mts';

/** One list and its records. What is missing is as in the sandbox without a likeness. */
export interface ListLikeness {
	/** Keys from `data` to the rows; [] for rows directly in it. */
	path?: string[];
	/** The page size without a limit, and the largest one. */
	defaultSize?: number;
	largestSize?: number;
	order?: ListOrder;
	/** Where a record has what the sandbox keeps under these names, as keys from the record to the value. */
	keys?: Record<string, string[]>;
	/** How times of the record are written; ISO 8601 if missing. */
	times?: 'epoch seconds' | 'epoch milliseconds';
}

/** Of what a list is sorted by: creation, last change, or nothing. */
export interface ListOrder {
	by: 'creation' | 'last change' | 'nothing';
	oldestFirst?: boolean;
}

export interface RateHeaderLikeness {
	name: string;
	meaning: 'limit' | 'remaining' | 'reset' | 'retry' | 'combined' | 'policy';
	form?: 'seconds' | 'epoch seconds' | 'epoch milliseconds' | 'date';
}

export interface Likeness {
	lists: Record<string, ListLikeness>;
	/** Where a list states its counts, and which. */
	counts?: { under: 'meta' | 'pagination' | 'none'; names: string[] };
	rateLimit?: { requests?: number; routes: 'listed' | 'all'; headers: RateHeaderLikeness[] };
	/** Whether WhatsApp IDs are written with a plus. */
	waIdPlus?: boolean;
	/** The names of the states of import jobs. */
	importStates?: Partial<Record<'queued' | 'processing' | 'completed' | 'failed', string>>;
	/** The columns of the export of contacts. */
	exportColumns?: string[];
	/** Settings that the sandbox has by itself. */
	shapes?: SandboxSettings['shapes'];
}

/** The settings of a sandbox that is like the service of a report. @throws Error that says what to do */
export function readLikeness(file: string): SandboxSettings {
	let report: unknown;
	try {
		report = JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new Error(`${file} cannot be read as JSON: ${(error as Error).message}`, {
			cause: error,
		});
	}
	const { format, likeness } = (report ?? {}) as { format?: unknown; likeness?: Likeness };
	if (format !== 1 || typeof likeness !== 'object' || typeof likeness.lists !== 'object')
		throw new Error(
			`${file} is not a report of npm run check-service. Create one with its option --json.`,
		);
	return settingsOf(likeness);
}

/** The settings of a sandbox with this likeness. */
export function settingsOf(likeness: Likeness): SandboxSettings {
	const { rateLimit, shapes } = likeness;
	return {
		likeness,
		...(rateLimit && {
			rateLimit: {
				routes: rateLimit.routes,
				...(rateLimit.requests !== undefined && { requests: rateLimit.requests }),
			},
		}),
		...(shapes && { shapes }),
	};
}

/** The page size of a list, with that of the likeness where it has one. */
export function likePageSize(
	size: PageSize,
	likeness: Likeness | undefined,
	list: string,
): PageSize {
	const { defaultSize = size.default, largestSize = size.cap } = likeness?.lists[list] ?? {};
	return { default: Math.min(defaultSize, largestSize), cap: largestSize };
}

/** The rows of a list in the likeness's order; the table's own is newest first. */
export function likeOrder<T extends { id: string }>(rows: T[], order: ListOrder | undefined): T[] {
	if (!order) return rows;
	const time = (row: T) => {
		const { updatedAt, createdAt } = row as { updatedAt?: string; createdAt?: string };
		return Date.parse((order.by === 'last change' ? updatedAt : undefined) ?? createdAt ?? '') || 0;
	};
	const sorted =
		order.by === 'nothing'
			? rows.toSorted((one, other) => scatter(one.id) - scatter(other.id))
			: order.by === 'creation'
				? rows
				: rows.toSorted((one, other) => time(other) - time(one));
	return order.oldestFirst ? sorted.toReversed() : sorted;
}

/** A number without any order, the same each time. */
function scatter(id: string): number {
	let hash = 7;
	for (const letter of id) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
	return Math.imul(hash, 0x45d9f3b) >>> 8;
}

/** The rows at the place of the likeness. */
export const atPath = (path: readonly string[], rows: unknown): unknown =>
	path.reduceRight((inner, key) => ({ [key]: inner }), rows);

/** A record with the keys and times of the likeness. */
export function likeRecord(record: unknown, likeness: Likeness | undefined, list: string): unknown {
	if (!likeness || typeof record !== 'object' || record === null || Array.isArray(record))
		return record;
	const { keys = {}, times } = likeness.lists[list] ?? {};
	const out: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(record)) {
		const written = likeValue(key, value, likeness, times);
		place(out, keys[key] ?? [key], written);
	}
	return out;
}

function likeValue(
	key: string,
	value: unknown,
	likeness: Likeness,
	times: ListLikeness['times'],
): unknown {
	if (key === 'waId' && typeof value === 'string' && likeness.waIdPlus === true) return `+${value}`;
	if (key === 'contact') return likeRecord(value, { ...likeness, lists: {} }, 'contacts');
	if (times && typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)) {
		const ms = Date.parse(value);
		return times === 'epoch seconds' ? Math.floor(ms / 1000) : ms;
	}
	return value;
}

function place(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
	const [key = '', ...rest] = path;
	if (rest.length === 0) {
		record[key] = value;
		return;
	}
	const inner = record[key];
	const holder = typeof inner === 'object' && inner !== null ? inner : {};
	record[key] = holder;
	place(holder as Record<string, unknown>, rest, value);
}

/** The counts of a list as the likeness states them: fields of the body, or of `data`. */
export function likeCounts(meta: object, likeness: Likeness | undefined): Record<string, unknown> {
	if (!likeness?.counts) return { meta };
	const { under, names } = likeness.counts;
	if (under === 'none') return {};
	return {
		[under]: Object.fromEntries(Object.entries(meta).filter(([name]) => names.includes(name))),
	};
}

/** The rate-limit headers of the likeness. */
export function likeHeaders(
	headers: readonly RateHeaderLikeness[],
	{
		limit,
		remaining,
		resetAt,
		now,
		allowed,
	}: { limit: number; remaining: number; resetAt: number; now: number; allowed: boolean },
): Record<string, string> {
	const seconds = Math.max(0, Math.ceil((resetAt - now) / 1000));
	const reset = (form: RateHeaderLikeness['form']): string => {
		if (form === 'epoch seconds') return String(Math.ceil(resetAt / 1000));
		if (form === 'epoch milliseconds') return String(resetAt);
		return form === 'date'
			? new Date(Math.ceil(resetAt / 1000) * 1000).toUTCString()
			: String(seconds);
	};
	const values: Record<
		RateHeaderLikeness['meaning'],
		(form: RateHeaderLikeness['form']) => string
	> = {
		limit: () => String(limit),
		remaining: () => String(remaining),
		reset,
		retry: reset,
		combined: () => `limit=${limit}, remaining=${remaining}, reset=${seconds}`,
		policy: () => `${limit};w=60`,
	};
	const sent = headers.filter(({ meaning }) => meaning !== 'retry' || !allowed);
	const own = Object.fromEntries(
		sent.map(({ name, meaning, form }) => [name, values[meaning](form)]),
	);
	return allowed ? own : { 'retry-after': String(seconds), ...own };
}
