import type { IExecuteFunctions } from 'n8n-workflow';
import type { Shown } from '../api/access/shown';
import type { Reporter } from '../api/client';
import { clock } from '../api/base/clock';

/** A wait of this length, in milliseconds, is reported, so that the user knows why nothing happens. */
const REPORTED_WAIT_MS = 5_000;

/** How many notices n8n's editor, or an error, shows: each of thousands of items may have another one. */
const MAX_SHOWN = 10;

/** Notices for the user: in the log at once, and in the editor at the end. */
export class Notices implements Reporter {
	private readonly messages = new Set<string>();
	private longestWaitMs = 0;
	private waitsUntil = 0;

	constructor(private readonly n8n: IExecuteFunctions) {}

	notify(shown: Shown): void {
		const message = String(shown);
		// Thousands of items may have the same.
		if (this.messages.has(message)) return;
		this.messages.add(message);
		this.log(message);
	}

	waiting(ms: number): void {
		if (ms < REPORTED_WAIT_MS) return;
		this.longestWaitMs = Math.max(this.longestWaitMs, ms);
		const until = clock.elapsed() + ms;
		// Parallel requests wait for the same moment.
		if (until - this.waitsUntil < 1_000) return;
		this.waitsUntil = until;
		this.log(`Waiting ${Math.ceil(ms / 1_000)} s for the service`);
	}

	all(): string[] {
		const messages = [...this.messages].slice(0, MAX_SHOWN);
		if (this.messages.size > MAX_SHOWN) messages.push('n8n’s log contains more');
		if (this.longestWaitMs > 0) {
			const seconds = Math.ceil(this.longestWaitMs / 1_000);
			messages.push(`This run waited for the service, up to ${seconds} s at a time`);
		}
		return messages;
	}

	/** As hints of the node. n8n has none for a node that throws, whose error contains them instead. */
	show(): void {
		const hints = this.all().map((message) => ({ message, location: 'outputPane' as const }));
		// Older versions of n8n have no hints.
		const n8n: Partial<IExecuteFunctions> = this.n8n;
		unlessThrown(() => {
			for (const hint of hints) n8n.addExecutionHints?.(hint);
		});
	}

	private log(message: string): void {
		unlessThrown(() => this.n8n.logger.info(message));
	}
}

/** What was sent is sent: if n8n cannot show or log something about it, the run goes on. */
function unlessThrown(tell: () => void): void {
	try {
		tell();
	} catch {
		// There is nobody to tell.
	}
}
