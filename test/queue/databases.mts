import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram } from '../../tools/scripts/debian.mts';
import { freePort, remove, removeAtExit, ServerProcess } from '../e2e/serverProcess.mts';

/** An empty server that n8n's queue mode needs, on loopback. */
export interface Database {
	/** n8n's environment variables for it. */
	env: NodeJS.ProcessEnv;
	close: () => Promise<void>;
}

/** PostgreSQL, which stores n8n's workflows and executions. */
export async function startPostgres(): Promise<Database> {
	const program = (name: string) =>
		debianProgram('postgresql', `/usr/lib/postgresql/*/bin/${name}`);
	const initdb = program('initdb');
	const folder = mkdtempSync(join(tmpdir(), 'n8n-postgres-'));
	removeAtExit(folder);
	const owner = serviceUser(folder);
	const data = join(folder, 'data');
	const port = String(await freePort());
	const user = 'n8n';
	const options = { ...owner, cwd: folder, stdio: 'ignore' } as const;
	execFileSync(initdb, ['-D', data, '-U', user, '--auth=trust', '--encoding=UTF8'], options);
	const server = new ServerProcess({
		program: program('postgres'),
		args: [
			...['-D', data, '-p', port, '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
			// n8n filters by times in UTC without an offset.
			...['-c', 'timezone=UTC'],
		],
		owner,
		logFile: join(folder, 'log'),
	});
	const there = ['-h', '127.0.0.1', '-p', port, '-U', user];
	await server.up(async () => succeeds(program('pg_isready'), there));
	execFileSync(program('createdb'), [...there, 'n8n'], options);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: port,
			DB_POSTGRESDB_USER: user,
			DB_POSTGRESDB_DATABASE: 'n8n',
		},
		close: async () => {
			// PostgreSQL's signal for a fast, clean shutdown.
			await server.kill('SIGINT');
			remove(folder);
		},
	};
}

/** Redis, through which n8n's main process passes executions to its workers. */
export async function startRedis(): Promise<Database> {
	const program = debianProgram('redis-server', '/usr/bin/redis-server');
	const folder = mkdtempSync(join(tmpdir(), 'n8n-redis-'));
	removeAtExit(folder);
	const port = String(await freePort());
	const server = new ServerProcess({
		program,
		args: ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
		logFile: join(folder, 'log'),
	});
	await server.up(async () => succeeds('/usr/bin/redis-cli', ['-p', port, 'ping']));
	return {
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
		close: async () => {
			await server.kill();
			remove(folder);
		},
	};
}

/** PostgreSQL does not run as root: then it runs as the user that Debian created for it, who owns the folder. */
function serviceUser(folder: string): { uid: number; gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
	const [uid, gid] = [id('-u'), id('-g')];
	chownSync(folder, uid, gid);
	return { uid, gid };
}

function succeeds(program: string, args: string[]): boolean {
	try {
		execFileSync(program, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
