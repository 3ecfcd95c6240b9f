/** `npm run check-service`: does the package fit a service? It only reads. */
import { checkService } from './command.mts';
import { askHidden, isInteractive } from './prompt.mts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await checkService(process.argv.slice(2), {
	env: process.env,
	interactive: isInteractive(),
	colours: process.stdout.isTTY && process.env.NO_COLOR === undefined,
	columns: process.stdout.columns,
	askHidden: async (question) => await askHidden(question, stop.signal),
	print: (text) => console.log(text),
	note: (text) => process.stderr.write(text),
	signal: stop.signal,
});
