/** `npm run check-service`: does the package fit a service? It only reads. */
import { runCheck } from './check.mts';
import { readBaseUrl, readToken, TOKEN_VARIABLE } from './input.mts';
import { reportText } from './report.mts';
import { CheckStopped } from './service.mts';

try {
	const baseUrl = readBaseUrl(process.argv.slice(2));
	const token = readToken(process.env[TOKEN_VARIABLE]);
	console.error('Reading the service …\n');
	console.log(reportText(await runCheck(baseUrl, token)));
} catch (error) {
	if (!(error instanceof CheckStopped)) throw error;
	console.error(`${error.message}\n${error.nextStep}`);
	process.exitCode = 1;
}
