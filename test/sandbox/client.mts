import axios, { type AxiosInstance } from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { ManualClock } from '../../sandbox/clock.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';

/** A sandbox with a stopped clock, and a plain HTTP client for it. */
export interface Service {
	sandbox: Sandbox;
	clock: ManualClock;
	http: AxiosInstance;
	as: (token: string) => AxiosInstance;
	close: () => Promise<void>;
}

export async function startService(settings: SandboxSettings = {}): Promise<Service> {
	const clock = new ManualClock();
	const sandbox = await startSandbox({ clock, ...settings });
	const as = (token: string) =>
		axios.create({
			baseURL: sandbox.baseUrl,
			headers: { Authorization: `Bearer ${token}` },
			validateStatus: () => true,
			maxRedirects: 0,
		});
	return {
		sandbox,
		clock,
		http: as(sandbox.tokens.all.value),
		as,
		close: async () => await sandbox.close(),
	};
}
