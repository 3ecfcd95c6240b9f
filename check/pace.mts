import { WINDOW_MS, type RateInfo } from '../nodes/ConversationalMessaging/api/rateHeaders.ts';

/** Added to a wait, in milliseconds: resets are given in whole seconds. */
const MARGIN_MS = 250;

/**
 * Uses at most half of the requests that the service reports as left in its window, so that the integrations that
 * share the token are not held up. Without such a report, only the number of requests is limited.
 */
export class Pace {
	/** How many more requests may be sent in this window. */
	private left = Infinity;
	private resetsAt = -Infinity;

	/** How long to wait before the next request, in milliseconds. @param now milliseconds since the epoch */
	wait(now: number): number {
		return this.left > 0 || now >= this.resetsAt ? 0 : this.resetsAt - now + MARGIN_MS;
	}

	/** Counts a request that is sent now. */
	spend(): void {
		this.left--;
	}

	/** @param rate what the headers of a response report, as the nodes read them */
	learn(rate: RateInfo, now: number): void {
		if (rate.remaining === undefined) return;
		const half = Math.floor(rate.remaining / 2);
		const isNewWindow = now >= this.resetsAt;
		// Others may use the token as well: half of what is left now, if that is less than half of what was left then.
		this.left = isNewWindow ? half : Math.min(this.left, half);
		if (rate.resetInMs !== undefined) this.resetsAt = now + rate.resetInMs;
		else if (isNewWindow) this.resetsAt = now + WINDOW_MS;
	}
}
