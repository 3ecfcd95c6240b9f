import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SandboxSettings } from '../../sandbox/options.mts';
import type { SandboxProcessMessage } from './serviceProcess.mts';

export interface Service {
	baseUrl: string;
	token: string;
	/** How many requests have been rejected with 429 so far. */
	rejected: () => Promise<number>;
	/** How many requests there have been so far. */
	requests: () => Promise<number>;
	/** How many requests there were at once, at most. */
	mostAtOnce: () => Promise<number>;
	close: () => void;
}

/** The sandbox in a separate process, so that it does not share a thread with what is measured. */
export async function startService(settings: SandboxSettings): Promise<Service> {
	const script = fileURLToPath(new URL('serviceProcess.mts', import.meta.url));
	const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(settings)], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	const next = async () => (await once(child, 'message'))[0] as SandboxProcessMessage;
	const { baseUrl, token } = await next();
	const ask = async (): Promise<SandboxProcessMessage> => {
		const message = next();
		child.send('report');
		return await message;
	};
	return {
		baseUrl,
		token,
		rejected: async () => (await ask()).rejected,
		requests: async () => (await ask()).requests,
		mostAtOnce: async () => (await ask()).mostAtOnce,
		close: () => void child.kill(),
	};
}
