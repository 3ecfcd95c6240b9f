import axios, { type AxiosInstance } from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { ManualClock } from '../../sandbox/clock.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import type { Table } from '../../sandbox/table.mts';
import type { World } from '../../sandbox/world.mts';

/** A sandbox with a stopped clock and few contacts, and a plain HTTP client for it. */
export interface Service {
	sandbox: Sandbox;
	clock: ManualClock;
	http: AxiosInstance;
	as: (token: string) => AxiosInstance;
	close: () => Promise<void>;
}

/** Everything that the service knows, to compare before and after. */
export function stateOf(world: World): unknown {
	const { contacts, chats, tickets, segments, templates, broadcasts, imports, flows } = world;
	const { channels, users, messages, credits, organization } = world;
	const tables = { contacts, chats, tickets, segments, templates, broadcasts, imports, flows };
	const rows = Object.entries({ ...tables, channels, users }).map(([name, table]) => [
		name,
		[...(table as Table<{ id: string }>).newestFirst()],
	]);
	return structuredClone({ rows, messages, credits, organization });
}

export async function startService(settings: SandboxSettings = {}): Promise<Service> {
	const clock = new ManualClock();
	const sandbox = await startSandbox({ clock, contacts: 50, ...settings });
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
