import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CheckStopped } from './client.mts';

/** Whether somebody can answer. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks on the terminal and does not show what is typed. @returns '' if the input ends. @throws CheckStopped after Ctrl+C */
export async function askHidden(question: string, signal: AbortSignal): Promise<string> {
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	// Only now: until then, the terminal itself would show what is typed.
	process.stderr.write(question);
	const stop = new AbortController();
	// On a terminal in raw mode, Ctrl+C is a key like any other.
	lines.once('SIGINT', () => stop.abort());
	const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
	try {
		const typed = lines.question('', { signal: AbortSignal.any([signal, stop.signal]) });
		return (await Promise.race([typed, ended])).trim();
	} catch {
		throw new CheckStopped('The check was stopped.', 'Run it again to complete it.');
	} finally {
		lines.close();
		process.stderr.write('\n');
	}
}
