/** What a service of limited capacity works on: a request waits until one of those before it is done. */
export class Workload {
	/** How many requests there were at once, at most. */
	mostAtOnce = 0;

	/** When each request is done, in milliseconds. */
	private doneAt: number[] = [];

	constructor(private readonly capacity: number) {}

	/**
	 * Accepts a request.
	 *
	 * @param workMs how long the service works on it
	 * @returns in how many milliseconds it is done
	 */
	msUntilDone(now: number, workMs: number): number {
		this.doneAt = this.doneAt.filter((time) => time > now).sort((a, b) => a - b);
		// It takes the place of the first of the last ones to be done.
		const before = this.doneAt.at(-this.capacity) ?? now;
		const done = Math.max(now, before) + workMs;
		this.doneAt.push(done);
		this.mostAtOnce = Math.max(this.mostAtOnce, this.doneAt.length);
		return done - now;
	}
}
