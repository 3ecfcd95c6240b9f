/** `npm run check-service`: does the package fit a service? It only reads. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CheckStopped } from './client.mts';
import { checkService } from './command.mts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await checkService(process.argv.slice(2), {
	env: process.env,
	...(process.stdin.isTTY && process.stderr.isTTY && { askHidden }),
	print: (text) => console.log(text),
	note: (text) => process.stderr.write(text),
	signal: stop.signal,
});

/** Asks on the terminal and does not show what is typed. @returns '' if the input ends. @throws CheckStopped after Ctrl+C */
async function askHidden(question: string): Promise<string> {
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	// Only now: until then, the terminal itself would show what is typed.
	process.stderr.write(question);
	// On a terminal in raw mode, Ctrl+C is a key like any other.
	lines.once('SIGINT', () => stop.abort());
	const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
	try {
		return (await Promise.race([lines.question('', { signal: stop.signal }), ended])).trim();
	} catch {
		throw new CheckStopped('The check was stopped.', 'Run it again to complete it.');
	} finally {
		lines.close();
		process.stderr.write('\n');
	}
}
