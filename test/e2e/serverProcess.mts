import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const UP_WITHIN_MS = 300_000;
const running = new Set<ServerProcess>();
const folders = new Set<string>();

// However this process ends, its servers end too, and their files are removed.
process.on('exit', () => {
	for (const server of running) server.killNow();
	for (const folder of folders) remove(folder);
});
// Not `once`: Ctrl+C arrives twice, from the terminal and through tsx, and the second would end the process before it
// has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.on(signal, () => process.exit(process.exitCode ?? 1));

/** Registers a server's folder to be removed when this process ends. */
export function removeAtExit(folder: string): void {
	folders.add(folder);
}

/** Removes the folder of a server that has ended. */
export function remove(folder: string): void {
	// A killed process may still hold its files for a moment.
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	folders.delete(folder);
}

interface Command {
	program: string;
	args: string[];
	env?: NodeJS.ProcessEnv;
	/** The user of the process; the tests' own if missing. */
	owner?: { uid: number; gid: number };
	logFile: string;
	/** Ends what the program leaves behind, such as a container. */
	end?: { program: string; args: string[] };
}

/** A server process whose output is written to a file. */
export class ServerProcess {
	private child?: ChildProcess;

	constructor(private readonly command: Command) {}

	/**
	 * Starts it and waits until it is ready.
	 *
	 * @param serves called every half second
	 * @throws with the end of its log, if it is not ready within five minutes
	 */
	async up(serves: () => Promise<boolean>): Promise<void> {
		const { program, args, env, owner, logFile } = this.command;
		const log = openSync(logFile, 'a');
		const child = spawn(program, args, { stdio: ['ignore', log, log], env, ...owner });
		this.child = child;
		running.add(this);
		child.once('exit', () => {
			// A container outlives its client.
			if (!this.command.end) running.delete(this);
		});
		for (let waited = 0; waited < UP_WITHIN_MS; waited += 500) {
			if (child.exitCode !== null) break;
			if (await serves()) return;
			await sleep(500);
		}
		throw new Error(`${program} ${args.join(' ')} did not start:\n${this.log().slice(-3_000)}`);
	}

	/** Ends it, by default at once, like a power cut. */
	async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const exited = once(child, 'exit');
		if (this.command.end) this.killNow();
		else child.kill(signal);
		await exited;
	}

	/** Ends it at once, without waiting for its exit. */
	killNow(): void {
		const { end } = this.command;
		if (end) spawnSync(end.program, end.args, { stdio: 'ignore' });
		this.child?.kill('SIGKILL');
		running.delete(this);
	}

	/** Its output so far. */
	log(): string {
		return readFileSync(this.command.logFile, 'utf8');
	}
}

/** An unused TCP port of this machine. */
export async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	return port;
}
