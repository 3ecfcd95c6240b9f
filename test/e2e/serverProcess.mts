import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const UP_WITHIN_MS = 300_000;
const running = new Set<ChildProcess>();
const folders = new Set<string>();

// Whatever ends this process, no server outlives it, and nothing of theirs is left.
process.on('exit', () => {
	for (const child of running) child.kill('SIGKILL');
	for (const folder of folders) remove(folder);
});
// Not once: Ctrl+C comes twice, from the terminal and through tsx, and the second would end it before it has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.on(signal, () => process.exit(process.exitCode ?? 1));

/** Names a folder of a server that goes when this process ends. */
export function removeAtExit(folder: string): void {
	folders.add(folder);
}

/** Removes the folder of a server that has ended. */
export function remove(folder: string): void {
	// What was just killed may still be letting go of its files.
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	folders.delete(folder);
}

interface Command {
	program: string;
	args: string[];
	env?: NodeJS.ProcessEnv;
	/** Whose process it is; the tests' own when missing. */
	owner?: { uid: number; gid: number };
	logFile: string;
}

/** A server of its own, whose output goes to a file. */
export class ServerProcess {
	private child?: ChildProcess;

	constructor(private readonly command: Command) {}

	/**
	 * Starts it and waits until it serves.
	 *
	 * @param serves asked every half second
	 * @throws with the end of its log, when it does not serve within five minutes
	 */
	async up(serves: () => Promise<boolean>): Promise<void> {
		const { program, args, env, owner, logFile } = this.command;
		const log = openSync(logFile, 'a');
		const child = spawn(program, args, { stdio: ['ignore', log, log], env, ...owner });
		this.child = child;
		running.add(child);
		child.once('exit', () => running.delete(child));
		for (let waited = 0; waited < UP_WITHIN_MS; waited += 500) {
			if (child.exitCode !== null) break;
			if (await serves()) return;
			await sleep(500);
		}
		throw new Error(`${program} ${args.join(' ')} did not start:\n${this.log().slice(-3_000)}`);
	}

	/** Ends it, at once by default, as a power cut does. */
	async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		child.kill(signal);
		await once(child, 'exit');
	}

	/** All it has written so far. */
	log(): string {
		return readFileSync(this.command.logFile, 'utf8');
	}
}

/** A TCP port of this machine that nobody uses. */
export async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	return port;
}
