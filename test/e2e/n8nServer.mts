import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import axios, { type AxiosInstance } from 'axios';
import { HOME, installN8n, N8N, NODE } from '../../scripts/n8n.mts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UP_WITHIN_MS = 120_000;

export const OWNER = {
	email: 'owner@example.com',
	password: 'Example-Passw0rd',
	firstName: 'Ada',
	lastName: 'Example',
};

/** n8n as a person has it: with its database, its editor, and this package installed from its tarball. */
export class N8nServer {
	private process?: ChildProcess;

	private constructor(
		private readonly folder: string,
		private readonly port: number,
		private readonly brokerPort: number,
		/** n8n's REST API, signed in as the owner. */
		readonly rest: AxiosInstance,
	) {}

	get url(): string {
		return `http://localhost:${this.port}`;
	}

	/** Installs n8n if need be and starts it with an empty database. */
	static async start(): Promise<N8nServer> {
		installN8n();
		const runs = join(HOME, 'runs');
		mkdirSync(runs, { recursive: true });
		const folder = mkdtempSync(join(runs, 'run-'));
		installPackage(join(folder, '.n8n/nodes'));
		const [port, brokerPort] = [await freePort(), await freePort()];
		const rest = axios.create({
			baseURL: `http://localhost:${port}/rest`,
			validateStatus: () => true,
			timeout: 60_000,
		});
		const server = new N8nServer(folder, port, brokerPort, rest);
		await server.up();
		const { headers, status, data } = await rest.post('/owner/setup', OWNER);
		if (status !== 200) throw new Error(`n8n took no owner: ${status} ${JSON.stringify(data)}`);
		const cookies = headers['set-cookie'] ?? [];
		rest.defaults.headers.common.Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
		return server;
	}

	/** Starts n8n, on the database that is there, and waits until it answers. */
	async up(): Promise<void> {
		const log = openSync(join(this.folder, 'n8n.log'), 'a');
		this.process = spawn(NODE, [N8N, 'start'], {
			stdio: ['ignore', log, log],
			env: {
				PATH: `${join(NODE, '..')}:${process.env.PATH ?? ''}`,
				HOME: this.folder,
				N8N_USER_FOLDER: this.folder,
				N8N_PORT: String(this.port),
				N8N_RUNNERS_BROKER_PORT: String(this.brokerPort),
				N8N_LISTEN_ADDRESS: '127.0.0.1',
				N8N_SECURE_COOKIE: 'false',
				N8N_DIAGNOSTICS_ENABLED: 'false',
				N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
				N8N_TEMPLATES_ENABLED: 'false',
				N8N_PERSONALIZATION_ENABLED: 'false',
				N8N_HIRING_BANNER_ENABLED: 'false',
				N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true',
				GENERIC_TIMEZONE: 'UTC',
			},
		});
		for (let waited = 0; waited < UP_WITHIN_MS; waited += 500) {
			if (this.process.exitCode !== null) break;
			const health = await axios
				.get(`${this.url}/healthz/readiness`, { validateStatus: () => true })
				.catch(() => undefined);
			// The REST API comes up a moment after the health check.
			const login =
				health?.status === 200 ? await this.rest.get('/login').catch(() => undefined) : undefined;
			if (login && login.status < 500 && login.status !== 404) return;
			await sleep(500);
		}
		throw new Error(`n8n did not start:\n${this.log().slice(-3_000)}`);
	}

	/** Ends n8n at once, as a power cut does. */
	async kill(): Promise<void> {
		const { process: running } = this;
		if (!running || running.exitCode !== null || running.signalCode !== null) return;
		running.kill('SIGKILL');
		await once(running, 'exit');
	}

	/** Ends n8n and removes what it kept. */
	async close(): Promise<void> {
		await this.kill();
		rmSync(this.folder, { recursive: true, force: true });
	}

	log(): string {
		return readFileSync(join(this.folder, 'n8n.log'), 'utf8');
	}

	/** Sends to n8n's REST API. @throws when n8n refuses */
	async call<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<T> {
		const { status, data } = await this.rest.request<{ data: T }>({
			method,
			url: path,
			data: body,
		});
		if (status >= 300) throw new Error(`n8n: ${method} ${path}: ${status} ${JSON.stringify(data)}`);
		return data.data;
	}
}

/** Installs the packed package as n8n installs a community package: alone, without scripts. */
function installPackage(folder: string): void {
	mkdirSync(folder, { recursive: true });
	const npm = (args: string[], cwd: string): void => {
		const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
		if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
	};
	npm(['pack', '--pack-destination', folder, '--loglevel=error'], ROOT);
	const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	if (!tarball) throw new Error('npm pack made no tarball');
	npm(['init', '--yes'], folder);
	npm(
		[
			'install',
			tarball,
			'--ignore-scripts',
			'--omit=dev',
			'--omit=optional',
			'--omit=peer',
			'--legacy-peer-deps',
			'--no-audit',
			'--no-fund',
		],
		folder,
	);
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	return port;
}
