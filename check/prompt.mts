import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CheckStopped } from './client.mts';

/** Whether somebody can answer. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks on the terminal and does not show what is typed. */
export async function askHidden(question: string, signal: AbortSignal): Promise<string> {
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	// Only now: until then, the terminal itself would show what is typed.
	process.stderr.write(question);
	try {
		return await answer(lines, '', '', signal);
	} finally {
		process.stderr.write('\n');
	}
}

/** Asks on the terminal. @returns "s", to skip it, if there is no answer because the input has ended */
export async function ask(question: string, signal: AbortSignal): Promise<string> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	return await answer(lines, question, 's', signal);
}

/** @throws CheckStopped after Ctrl+C */
async function answer(
	lines: Interface,
	question: string,
	ifEnded: string,
	signal: AbortSignal,
): Promise<string> {
	const stop = new AbortController();
	// On a terminal in raw mode, Ctrl+C is a key like any other.
	lines.once('SIGINT', () => stop.abort());
	const ended = new Promise<string>((resolve) => lines.once('close', () => resolve(ifEnded)));
	try {
		const typed = lines.question(question, { signal: AbortSignal.any([signal, stop.signal]) });
		return (await Promise.race([typed, ended])).trim();
	} catch {
		throw new CheckStopped('The check was stopped.', 'Run it again to complete it.');
	} finally {
		lines.close();
	}
}
