/** `npm run check-service`: does the package fit a service? It only reads. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { runCheck } from './check.mts';
import { readBaseUrl, readToken, TOKEN_VARIABLE } from './input.mts';
import { reportText } from './report.mts';
import { CheckStopped } from './service.mts';

try {
	const baseUrl = readBaseUrl(process.argv.slice(2));
	const token = readToken(process.env[TOKEN_VARIABLE] || (await askForToken()));
	console.error('Reading the service …\n');
	console.log(reportText(await runCheck(baseUrl, token)));
} catch (error) {
	if (!(error instanceof CheckStopped)) throw error;
	console.error(`${error.message}\n${error.nextStep}`);
	process.exitCode = 1;
}

/** Does not show what is typed. @returns '' after Ctrl+C or Ctrl+D, or if there is no terminal */
async function askForToken(): Promise<string> {
	if (!process.stdin.isTTY || !process.stderr.isTTY) return '';
	const output = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output, terminal: true });
	// Only now: until then, the terminal itself would show what is typed.
	process.stderr.write('API token: ');
	const answer = await new Promise<string>((resolve) =>
		lines.once('line', resolve).once('close', () => resolve('')),
	);
	lines.close();
	process.stderr.write('\n');
	return answer;
}
