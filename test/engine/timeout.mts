import { ClientRequest } from 'node:http';
import type { Fault, FaultRule, Trickle } from '../../sandbox/faults.mts';
import type { Sandbox } from '../../sandbox/server.mts';

/**
 * Makes the next requests hang, and n8n's HTTP client give each of them up at once, as after its timeout. No time
 * passes. Call `jest.restoreAllMocks` after the test.
 */
export function addTimeout(
	{ faults }: Sandbox,
	fault: Fault & { kind: 'hang' },
	times?: number,
): void {
	const { mock } = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	const matches = () => {
		const request = mock.contexts.at(-1) as ClientRequest;
		// By then, the sandbox has done the work.
		setImmediate(() => request.emit('timeout'));
		return true;
	};
	faults.add(fault, { times, matches });
}

/**
 * Makes the next requests trickle.
 *
 * @param begin called when one of them begins to; what it returns is called a little later
 * @returns `closed` is fulfilled once all of their connections are closed
 */
export function trickle(
	{ faults }: Sandbox,
	of: Trickle['of'],
	begin: () => () => void,
	{ times = 1, ...rule }: Omit<FaultRule, 'fault'> = {},
): { closed: Promise<void> } {
	const closed = new Promise<void>((resolve, reject) => {
		let left = times;
		const onClose = (pieces: number) => {
			// Headers that are too long, for example, end a connection too, but much later.
			if (pieces > 3_000) reject(new Error(`A connection was closed after ${pieces} pieces`));
			if (--left === 0) resolve();
		};
		faults.add({ kind: 'trickle', of, everyMs: 1, begin, onClose }, { times, ...rule });
	});
	return { closed };
}
