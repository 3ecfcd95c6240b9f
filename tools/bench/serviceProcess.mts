/** The sandbox as a separate process: see service.mts. */
import type { SandboxSettings } from '../../sandbox/options.mts';
import { startSandbox } from '../../sandbox/server.mts';

export interface SandboxProcessMessage {
	baseUrl: string;
	token: string;
	rejected: number;
	/** How many requests there have been so far. */
	requests: number;
	/** How many requests there were at once, at most. */
	mostAtOnce: number;
}

const sandbox = await startSandbox(JSON.parse(process.argv[2] as string) as SandboxSettings);

function report(): void {
	const { baseUrl, tokens, rateLimiter } = sandbox;
	process.send?.({
		baseUrl,
		token: tokens.all.value,
		rejected: rateLimiter.rejected,
		requests: sandbox.requests.length,
		mostAtOnce: sandbox.workload.mostAtOnce,
	} satisfies SandboxProcessMessage);
}

process.on('message', report);
report();
