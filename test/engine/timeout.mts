import { ClientRequest } from 'node:http';
import type { Fault } from '../../sandbox/faults.mts';
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
