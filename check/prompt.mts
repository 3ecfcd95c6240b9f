import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether somebody can answer. */
export const isInteractive = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks on the terminal and does not show what is typed. */
export async function askHidden(question: string, signal?: AbortSignal): Promise<string> {
	process.stderr.write(question);
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	try {
		return (await lines.question('', signal ? { signal } : {})).trim();
	} finally {
		lines.close();
		process.stderr.write('\n');
	}
}

/** Asks on the terminal. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	try {
		return (await lines.question(question, signal ? { signal } : {})).trim();
	} finally {
		lines.close();
	}
}
