import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axios, { type AxiosInstance } from 'axios';
import { HOME, installN8n, NODE } from '../../tools/scripts/n8n.mts';
import { n8nCommand, n8nImage } from '../../tools/scripts/n8nCommand.mts';
import { freePort, remove, removeAtExit, ServerProcess } from './serverProcess.mts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const OWNER = {
	email: 'owner@example.com',
	password: 'Example-Passw0rd',
	firstName: 'Ada',
	lastName: 'Example',
};

/** A complete n8n: with its database, its editor, and this package installed from its tarball. */
export class N8nServer {
	private readonly process: ServerProcess;
	private readonly workers: N8nWorker[] = [];

	private constructor(
		private readonly folder: string,
		private readonly port: number,
		private readonly env: NodeJS.ProcessEnv,
		/** n8n's REST API, signed in as the owner. */
		readonly rest: AxiosInstance,
	) {
		this.process = new ServerProcess({
			...n8nCommand({ action: 'start', folder, env, name: `n8n-test-${port}` }),
			logFile: join(folder, 'n8n.log'),
		});
	}

	get url(): string {
		return `http://localhost:${this.port}`;
	}

	/**
	 * Installs n8n if need be, unless `N8N_IMAGE` is set, and starts it with an empty database.
	 *
	 * @param settings more of n8n's environment variables
	 * @param onStep called with what is done next
	 */
	static async start(
		settings: NodeJS.ProcessEnv = {},
		onStep: (step: string) => void = () => undefined,
	): Promise<N8nServer> {
		if (n8nImage() === undefined) installN8n();
		onStep('Installing this package in n8n');
		const runs = join(HOME, 'runs');
		mkdirSync(runs, { recursive: true });
		const folder = mkdtempSync(join(runs, 'run-'));
		removeAtExit(folder);
		installPackage(join(folder, '.n8n/nodes'));
		const port = await freePort();
		const env = {
			...environment(folder),
			...settings,
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		};
		const rest = axios.create({
			baseURL: `http://localhost:${port}/rest`,
			validateStatus: () => true,
			timeout: 60_000,
		});
		const server = new N8nServer(folder, port, env, rest);
		onStep('Starting n8n, which takes one to three minutes');
		await server.up();
		const { headers, status, data } = await rest.post('/owner/setup', OWNER);
		if (status !== 200)
			throw new Error(`n8n did not create the owner: ${status} ${JSON.stringify(data)}`);
		const cookies = headers['set-cookie'] ?? [];
		rest.defaults.headers.common.Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
		return server;
	}

	/** Starts n8n on the existing database, and waits until it responds. */
	async up(): Promise<void> {
		await this.process.up(async () => {
			if (!(await responds(`${this.url}/healthz/readiness`))) return false;
			// The REST API starts a moment after the health check.
			const login = await this.rest.get('/login').catch(() => undefined);
			return login !== undefined && login.status < 500 && login.status !== 404;
		});
	}

	/** Starts a worker, in queue mode. */
	async worker(): Promise<N8nWorker> {
		const logFile = join(this.folder, `worker-${this.workers.length + 1}.log`);
		const worker = await N8nWorker.start(this.env, this.folder, logFile);
		this.workers.push(worker);
		return worker;
	}

	/** Kills n8n, like a power cut. */
	async kill(): Promise<void> {
		await this.process.kill();
	}

	/** Stops n8n and its workers and removes its files. */
	async close(): Promise<void> {
		for (const worker of this.workers) await worker.kill();
		await this.kill();
		remove(this.folder);
	}

	/** Sends a request to n8n's REST API. @throws if n8n rejects it */
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

/** A process that takes executions from n8n's queue. */
export class N8nWorker {
	private constructor(
		private readonly process: ServerProcess,
		private readonly healthPort: string,
	) {}

	static async start(main: NodeJS.ProcessEnv, folder: string, logFile: string): Promise<N8nWorker> {
		const healthPort = String(await freePort());
		const env = {
			...main,
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: healthPort,
		};
		const worker = new N8nWorker(
			new ServerProcess({
				...n8nCommand({ action: 'worker', folder, env, name: `n8n-test-${healthPort}` }),
				logFile,
			}),
			healthPort,
		);
		await worker.up();
		return worker;
	}

	async up(): Promise<void> {
		const url = `http://localhost:${this.healthPort}/healthz/readiness`;
		await this.process.up(async () => await responds(url));
	}

	/** Kills it, like a power cut. */
	async kill(): Promise<void> {
		await this.process.kill();
	}

	/** The IDs of the executions that it started, each as often as it was started. */
	begun(): string[] {
		return this.logged('started');
	}

	/** The IDs of the executions that it finished. */
	ended(): string[] {
		return this.logged('finished');
	}

	/** How long its executions waited for the rate limit, in seconds, one number per wait. */
	waits(): number[] {
		return this.found(/Waiting (\d+) s for the service/g).map(Number);
	}

	private logged(what: 'started' | 'finished'): string[] {
		return this.found(new RegExp(`Worker ${what} execution (\\d+)`, 'g'));
	}

	private found(pattern: RegExp): string[] {
		return [...this.process.log().matchAll(pattern)].map((match) => match[1]!);
	}
}

async function responds(url: string): Promise<boolean> {
	const response = await axios.get(url, { validateStatus: () => true }).catch(() => undefined);
	return response?.status === 200;
}

function environment(folder: string): NodeJS.ProcessEnv {
	return {
		PATH: `${join(NODE, '..')}:${process.env.PATH ?? ''}`,
		HOME: folder,
		N8N_USER_FOLDER: folder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		// Off by default in n8n 3.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		GENERIC_TIMEZONE: 'UTC',
	};
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
