import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import type { RequestEnd } from '../../nodes/ConversationalMessaging/api/rate/concurrencyLimit.ts';
import type { RateInfo } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import { RateLimiter } from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import type { Priority } from '../../nodes/ConversationalMessaging/api/rate/requestQueue.ts';

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
	/** The same for some endpoints. */
	latencyOf?: Record<string, number>;
	/** How many times as long it takes after this time, in milliseconds. */
	drifts?: (ms: number) => number;
	/** Whether reads count in the rate limit. */
	limitsReads?: boolean;
	/** By how much that varies, as a share of it. */
	jitter?: number;
	/** How many times as long a request takes as usual, from a number from 0 up to 1. */
	varies?: (random: number) => number;
	/** The share of the requests that fail, whatever is in flight. */
	fails?: number;
	/** Requests per window; 0 for no limit. */
	perWindow?: number;
	windowMs?: number;
	/** Whether windows begin with their first request, or at fixed times. */
	windows?: 'first request' | 'fixed';
	/** What the responses say about the limit. */
	reports?: 'every response' | 'first response' | 'length as reset' | 'Retry-After' | 'nothing';
	/** With more requests than this in flight, it fails. */
	breaksAbove?: number;
	/** How it fails: with a status, or without a response. */
	breaksWith?: number | string;
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
	/** One number for each window in which there were requests. */
	readonly rejectedPerWindow: number[] = [];
	broken = 0;
	/** How long it has worked on all requests together, in milliseconds. */
	workedMs = 0;
	latencyMs: number;
	perWindow: number;
	private begunAt = clock.now();
	private drifts: (ms: number) => number;
	/** When each of its workers is free, in milliseconds since the epoch. */
	private readonly workers: number[];
	private window = { startedAt: -Infinity, used: 0 };

	constructor(
		private readonly time: SimulatedTime,
		private readonly options: ServiceOptions,
	) {
		this.workers = Array<number>(options.capacity ?? 1_000).fill(0);
		this.latencyMs = options.latencyMs ?? 50;
		this.perWindow = options.perWindow ?? 0;
		this.drifts = options.drifts ?? (() => 1);
	}

	/** From now on, a request takes so many times as long. */
	beginDrift(drifts: (ms: number) => number): void {
		this.begunAt = clock.now();
		this.drifts = drifts;
	}

	/** Answers a request. */
	async respond(endpoint = ''): Promise<Answer> {
		this.inFlight++;
		this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
		const answer = this.answer(clock.now(), endpoint.startsWith('GET '));
		await this.time.sleep(answer.kind === 'rejected' ? 2 : this.workMs(endpoint));
		this.inFlight--;
		return answer;
	}

	private workMs(endpoint: string): number {
		const { jitter = 0, varies = () => 1, latencyOf = {} } = this.options;
		const now = clock.now();
		const latencyMs = (latencyOf[endpoint] ?? this.latencyMs) * this.drifts(now - this.begunAt);
		const next = this.workers.indexOf(Math.min(...this.workers));
		const begins = Math.max(now, this.workers[next]!);
		const work = latencyMs * (1 + jitter * (2 * clock.random() - 1)) * varies(clock.random());
		const ends = begins + work;
		this.workedMs += work;
		this.workers[next] = ends;
		return ends - now;
	}

	private answer(now: number, isRead: boolean): Answer {
		const { windowMs = 60_000, windows, reports, breaksAbove = Infinity } = this.options;
		if (this.inFlight > breaksAbove || clock.random() < (this.options.fails ?? 0)) {
			this.broken++;
			return { kind: 'broken', rate: {} };
		}
		if (isRead && this.options.limitsReads === false) return { kind: 'ok', rate: {} };
		if (now >= this.window.startedAt + windowMs) {
			const startedAt = windows === 'fixed' ? Math.floor(now / windowMs) * windowMs : now;
			this.window = { startedAt, used: 0 };
			this.rejectedPerWindow.push(0);
		}
		const isRejected = this.perWindow > 0 && this.window.used >= this.perWindow;
		if (isRejected) {
			this.rejected++;
			this.rejectedPerWindow[this.rejectedPerWindow.length - 1]!++;
		} else {
			this.window.used++;
			this.accepted++;
		}
		const kind = isRejected ? 'rejected' : 'ok';
		if (this.perWindow === 0) return { kind, rate: {} };
		// Rounded up to whole seconds, as services do.
		const endsInMs = Math.ceil((this.window.startedAt + windowMs - now) / 1_000) * 1_000;
		const remaining = this.perWindow - this.window.used;
		if (reports === 'every response')
			return { kind, rate: { limit: this.perWindow, remaining, resetInMs: endsInMs } };
		if (reports === 'length as reset')
			return { kind, rate: { limit: this.perWindow, remaining, resetInMs: windowMs } };
		if (reports === 'first response' && this.window.used === 1)
			return { kind, rate: { limit: this.perWindow, remaining, resetInMs: endsInMs } };
		return { kind, rate: isRejected && reports !== 'nothing' ? { retryInMs: endsInMs } : {} };
	}

	/** Whether a failure comes without a response. */
	get failsSilently(): boolean {
		return typeof this.options.breaksWith === 'string';
	}
}

function endingOf(kind: Answer['kind'], latencyMs: number, endpoint: string): RequestEnd {
	if (kind === 'ok') return { kind, endpoint, latencyMs };
	return { kind: kind === 'rejected' ? 'other' : 'failed' };
}

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
		const { slot } = await rateLimiter.acquire({ priority, isRead, maxWaitMs });
		if (!slot) return false;
		const { kind, rate } = await service.respond(endpoint);
		const latencyMs = clock.now() - slot.at;
		rateLimiter.release(slot, {
			ending: endingOf(kind, latencyMs, endpoint),
			isRateLimited: kind === 'rejected',
			...(!(kind === 'broken' && service.failsSilently) && { rate }),
		});
		if (kind !== 'rejected') return true;
	}
	return false;
}
