import { clock } from '../base/clock';

let previous = Promise.resolve();

/**
 * Waits until the request before this one is on its way, whatever its token.
 *
 * n8n takes several steps, 1 to 3 ms in all, to send a request. Of requests that may be sent at the same moment, it
 * would take each step for all of them before the next step: the first one would leave with the last one.
 */
export async function waitForPreviousSend(): Promise<void> {
	const turn = previous;
	previous = turn.then(async () => await clock.yieldToOthers());
	await turn;
}
