/** `npm run check-service`: does the package fit a service? It only reads. */
import { checkService } from './command.mts';
import { askHidden, isInteractive } from './prompt.mts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await checkService(process.argv.slice(2), {
	env: process.env,
	...(isInteractive() && {
		askHidden: async (question: string) => await askHidden(question, stop.signal),
	}),
	columns: process.stdout.columns,
	print: (text) => console.log(text),
	note: (text) => process.stderr.write(text),
	signal: stop.signal,
});
