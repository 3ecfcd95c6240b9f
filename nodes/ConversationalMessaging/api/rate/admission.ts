import { MAX_LIMIT } from './concurrencyLimit';
import type { Counts, RateWindow } from './rateWindow';
import type { Priority, QueuedRequest } from './requestQueue';

/** What is left of the reserve is used in the last part of the window, in milliseconds. */
const LAST_PART_MS = 3_000;

/** What a priority may do. */
interface Rule {
	/** It gets this many slots more than the concurrency limit allows. */
	extraSlots: number;
	/** The share of each window that it leaves to others, given the share that bulk work leaves. */
	leaves: (reserve: number) => number;
	/** Whether it may use this share as well, in the last part of the window, or if nothing else is to come. */
	usesRest: boolean;
}

/** Polls and people are few and never wait long, so they may use the whole window. */
const URGENT: Rule = { extraSlots: 2, leaves: () => 0, usesRest: true };

const RULES: Record<Priority, Rule> = {
	editor: URGENT,
	poll: URGENT,
	// Many executions with one message each are bulk work in sum.
	single: { extraSlots: 0, leaves: (reserve) => reserve / 2, usesRest: true },
	bulk: { extraSlots: 0, leaves: (reserve) => reserve, usesRest: true },
	// More than half, because a window may be taken for twice as large as it is: see RateWindow.
	background: { extraSlots: 0, leaves: (reserve) => Math.max(reserve, 0.6), usesRest: false },
};

/** What a rate limiter knows when it decides. */
export interface LimiterState {
	/** On `clock.elapsed`, as all times here. */
	now: number;
	window: RateWindow;
	inFlight: Counts;
	/** How many requests may be in flight. */
	atOnce: number;
	/** The share of each window that bulk work leaves to others. */
	reserve: number;
	/** Added to a pause, in milliseconds, for everything that is not urgent. */
	jitterMs: number;
	/** Requests that wait or are announced. */
	toCome: number;
}

/** How many requests are in flight. */
export const sumOf = ({ reads, others }: Counts): number => reads + others;

/** Whether a request that waits may be sent now. Pure. */
export function mayBeSent(request: QueuedRequest, state: LimiterState): boolean {
	const { now, window, inFlight } = state;
	const { extraSlots, usesRest } = RULES[request.priority];
	const sent = sumOf(inFlight);
	if (sent >= Math.min(MAX_LIMIT, state.atOnce + extraSlots)) return false;
	if (!window.counts(request.isRead)) return true;
	if (now < opensAt(request, state) || sent >= window.atOnce(now)) return false;
	const left = window.left(inFlight, now);
	const isRestFree = now >= lastPartAt(window) || state.toCome <= left;
	return left > 0 && (left > leftToOthers(request, state) || (usesRest && isRestFree));
}

/** When a pause ends for a request; in the past if there is none. To whom only a share is open, its end is one. */
export function opensAt(request: QueuedRequest, state: LimiterState): number {
	const { window, inFlight, now, jitterMs } = state;
	if (!window.counts(request.isRead)) return -Infinity;
	const rule = RULES[request.priority];
	const pauseEndsAt = window.closedUntil + (rule === URGENT ? 0 : jitterMs);
	const isUsedUp = window.left(inFlight, now) <= leftToOthers(request, state);
	return !rule.usesRest && isUsedUp ? Math.max(pauseEndsAt, window.endsAt) : pauseEndsAt;
}

/** When to look again whether more of the requests that wait may be sent; Infinity if only a response can change it. */
export function nextLookAt(waiting: QueuedRequest[], state: LimiterState): number {
	if (waiting.length === 0) return Infinity;
	const { now, window, inFlight, atOnce } = state;
	const isHeld = sumOf(inFlight) >= atOnce || now < window.closedUntil;
	const ofWindow = isHeld ? [] : [lastPartAt(window), window.endsAt];
	const opens = waiting.map((request) => opensAt(request, state));
	return Math.min(Infinity, ...[...opens, ...ofWindow].filter((time) => time > now));
}

const lastPartAt = (window: RateWindow): number => window.endsAt - LAST_PART_MS;

/** How many requests of this window are not for this priority; never all of them. */
function leftToOthers({ priority }: QueuedRequest, { window, reserve }: LimiterState): number {
	const size = window.size ?? 1;
	return Math.min(size - 1, Math.ceil(size * RULES[priority].leaves(reserve)));
}
