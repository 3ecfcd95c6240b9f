import type { IExecuteFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';

/** Notices for the user: in the log at once, and in the editor at the end. */
export class Notices {
	private readonly messages = new Set<string>();

	private longestWait = 0;

	private waitsUntil = 0;

	private fewestAtOnce = Infinity;

	constructor(private readonly context: IExecuteFunctions) {}

	notify = (message: string): void => {
		this.context.logger.info(message);
		this.messages.add(message);
	};

	onWait = (until: number): void => {
		// Parallel requests wait for the same moment.
		if (until - this.waitsUntil < 1_000) return;
		this.waitsUntil = until;
		const seconds = Math.ceil((until - clock.now()) / 1_000);
		this.context.logger.info(`Waiting ${seconds} s for the service’s rate limit`);
	};

	onWaited = (seconds: number): void => {
		this.longestWait = Math.max(this.longestWait, seconds);
	};

	onSlowed = (atOnce: number): void => {
		if (this.fewestAtOnce === Infinity)
			this.context.logger.info(
				`The service is slow or rejects requests: sending ${atOnce} at a time`,
			);
		this.fewestAtOnce = Math.min(this.fewestAtOnce, atOnce);
	};

	show(): void {
		if (this.longestWait > 0) {
			this.messages.add(
				`This run waited for the service’s rate limit, up to ${this.longestWait} s at a time`,
			);
		}
		if (this.fewestAtOnce < Infinity) {
			this.messages.add(
				`This run slowed down to ${this.fewestAtOnce} requests at a time, because the service was slow or rejected requests`,
			);
		}
		const hints = [...this.messages].map((message) => ({
			message,
			location: 'outputPane' as const,
		}));
		// Older versions of n8n have no hints.
		const context: Partial<IExecuteFunctions> = this.context;
		if (hints.length > 0) context.addExecutionHints?.(...hints);
	}
}
