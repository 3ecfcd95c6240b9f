import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import {
	type RateInfo,
	WINDOW_MS,
} from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import type {
	Priority,
	RateLimiter,
} from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';

const real = { ...clock };

/** Time that passes from one event to the next, as soon as nothing else is left to do. */
export class SimulatedTime {
	private now = Date.UTC(2026, 0, 15, 9, 0, 0);
	private readonly events: { at: number; happen: () => void }[] = [];

	/** @param random from 0 up to, not including, 1 */
	constructor(private readonly random: () => number) {}

	install(): this {
		clock.now = () => this.now;
		clock.elapsed = () => this.now;
		clock.random = this.random;
		clock.sleep = async (ms, signal) =>
			await new Promise<void>((resolve) => {
				const end = () => {
					signal?.removeEventListener('abort', end);
					resolve();
				};
				signal?.addEventListener('abort', end);
				this.after(ms, end);
			});
		clock.after = (ms, callback) => {
			let isCanceled = false;
			this.after(ms, () => {
				if (!isCanceled) callback();
			});
			return () => void (isCanceled = true);
		};
		return this;
	}

	restore(): void {
		Object.assign(clock, real);
	}

	after(ms: number, happen: () => void): void {
		this.events.push({ at: this.now + ms, happen });
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.after(ms, resolve));
	}

	/** Lets time pass until the work is done. Returns how long it took, in milliseconds. */
	async passUntil(work: Promise<unknown>): Promise<number> {
		const started = this.now;
		const state = { isDone: false };
		void work.finally(() => (state.isDone = true));
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (state.isDone) return this.now - started;
			const next = Math.min(...this.events.map(({ at }) => at));
			if (next === Infinity) throw new Error('Nothing will ever happen again');
			this.now = Math.max(this.now, next);
			for (let i = 0; i < this.events.length; )
				if (this.events[i]!.at <= this.now) this.events.splice(i, 1)[0]!.happen();
				else i++;
		}
	}
}

export interface ServiceOptions {
	/** How many requests it works on at once; others wait. */
	capacity?: number;
	/** How long it works on a request, in milliseconds. */
	latencyMs?: number;
	/** By how much that varies, as a share of it. */
	jitter?: number;
	/** The share of the requests that fail, whatever is in flight. */
	fails?: number;
	/** Requests per window; 0 for no limit. */
	perWindow?: number;
	windowMs?: number;
	/** Whether windows begin with their first request, or at fixed times. */
	windows?: 'first request' | 'fixed';
	/** How many requests of a window another program sends when it begins, by the number of the window. */
	othersIn?: (window: number) => number;
	/** What the responses say about the limit. */
	reports?:
		| 'every response'
		| 'length as reset'
		| 'Retry-After'
		| 'Retry-After as a date'
		| 'nothing';
	/** With more requests than this in flight, it fails. */
	breaksAbove?: number;
	/** How it fails: with a status, or without a response. */
	breaksWith?: number | string;
}

/** The requests of a window, without those of others. */
interface Window {
	startedAt: number;
	accepted: number;
	/** In the first half. */
	acceptedEarly: number;
	rejected: number;
}

interface Answer {
	kind: 'ok' | 'rejected' | 'broken';
	rate: RateInfo;
}

/** A service with a capacity and a rate limit, in simulated time. */
export class SimulatedService {
	inFlight = 0;
	mostInFlight = 0;
	accepted = 0;
	rejected = 0;
	/** Those in which there were requests. */
	readonly windows: Window[] = [];
	broken = 0;
	/** How long it has worked on all requests together, in milliseconds. */
	workedMs = 0;
	latencyMs: number;
	perWindow: number;
	/** When each of its workers is free, in milliseconds since the epoch. */
	private readonly workers: number[];

	constructor(
		private readonly time: SimulatedTime,
		private readonly options: ServiceOptions,
	) {
		this.workers = Array<number>(options.capacity ?? 1_000).fill(0);
		this.latencyMs = options.latencyMs ?? 50;
		this.perWindow = options.perWindow ?? 0;
	}

	/** Answers a request. */
	async respond(): Promise<Answer> {
		this.inFlight++;
		this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
		const answer = this.answer(clock.now());
		await this.time.sleep(answer.kind === 'rejected' ? 2 : this.workMs());
		this.inFlight--;
		return answer;
	}

	private workMs(): number {
		const { jitter = 0 } = this.options;
		const now = clock.now();
		const next = this.workers.indexOf(Math.min(...this.workers));
		const begins = Math.max(now, this.workers[next]!);
		const work = this.latencyMs * (1 + jitter * (2 * clock.random() - 1));
		const ends = begins + work;
		this.workedMs += work;
		this.workers[next] = ends;
		return ends - now;
	}

	private answer(now: number): Answer {
		const { windowMs = WINDOW_MS, reports, breaksAbove = Infinity, othersIn } = this.options;
		if (this.inFlight > breaksAbove || clock.random() < (this.options.fails ?? 0)) {
			this.broken++;
			return { kind: 'broken', rate: {} };
		}
		const window = this.windowAt(now, windowMs);
		const left = this.perWindow - window.accepted - (othersIn?.(this.windows.length - 1) ?? 0);
		const isRejected = this.perWindow > 0 && left <= 0;
		if (isRejected) {
			this.rejected++;
			window.rejected++;
		} else {
			this.accepted++;
			window.accepted++;
			if (now < window.startedAt + windowMs / 2) window.acceptedEarly++;
		}
		const kind = isRejected ? 'rejected' : 'ok';
		if (this.perWindow === 0) return { kind, rate: {} };
		const endsAt = window.startedAt + windowMs;
		// Rounded up to whole seconds, as services do.
		const endsInMs = Math.ceil((endsAt - now) / 1_000) * 1_000;
		const limit = this.perWindow;
		const remaining = Math.max(0, left - 1);
		if (reports === 'every response')
			return { kind, rate: { limit, remaining, resetInMs: endsInMs } };
		if (reports === 'length as reset')
			return { kind, rate: { limit, remaining, resetInMs: windowMs } };
		if (!isRejected || reports === 'nothing') return { kind, rate: {} };
		const dateInMs = Math.ceil(endsAt / 1_000) * 1_000 - now;
		return { kind, rate: { retryInMs: reports === 'Retry-After' ? endsInMs : dateInMs } };
	}

	/** The window of a request. */
	private windowAt(now: number, windowMs: number): Window {
		const current = this.windows.at(-1);
		if (current && now < current.startedAt + windowMs) return current;
		const startedAt =
			this.options.windows === 'fixed' ? Math.floor(now / windowMs) * windowMs : now;
		const window = { startedAt, accepted: 0, acceptedEarly: 0, rejected: 0 };
		this.windows.push(window);
		return window;
	}

	/** Whether a failure comes without a response. */
	get failsSilently(): boolean {
		return typeof this.options.breaksWith === 'string';
	}
}

const ENDINGS = { ok: 'succeeded', rejected: 'rateLimited', broken: 'failed' } as const;

/**
 * Sends one request as the package does: when it is its turn, and again after a 429.
 *
 * @returns whether it was answered, with whatever
 */
export async function sendOne(
	service: SimulatedService,
	rateLimiter: RateLimiter,
	{
		priority,
		maxWaitMs = Infinity,
		endpoint = 'POST /messages',
	}: { priority: Priority; maxWaitMs?: number; endpoint?: string },
): Promise<boolean> {
	for (let tries = 1; tries <= 10; tries++) {
		const isRead = endpoint.startsWith('GET ');
		if ((await rateLimiter.acquire({ priority, isRead, maxWaitMs })) !== undefined) return false;
		const { kind, rate } = await service.respond();
		rateLimiter.release({
			isRead,
			ending: ENDINGS[kind],
			...(!(kind === 'broken' && service.failsSilently) && { rate }),
		});
		if (kind !== 'rejected') return true;
	}
	return false;
}

/** How long such a request would wait for the end of a pause, in milliseconds; 0 if it can be sent. */
export async function pauseMs(rateLimiter: RateLimiter, isRead = false): Promise<number> {
	const turn = { priority: 'urgent', isRead, maxWaitMs: 0 } as const;
	const rejectedMs = await rateLimiter.acquire(turn);
	if (rejectedMs === undefined) rateLimiter.release({ isRead, ending: 'other' });
	return rejectedMs ?? 0;
}
