/** `npm run sandbox`: the messaging service on loopback, until Ctrl+C. */
import { parseArgs } from 'node:util';
import type { ErrorShape, RateLimitHeaders } from './options.mts';
import { startSandbox } from './server.mts';

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: '4010' },
		contacts: { type: 'string', default: '500' },
		tickets: { type: 'string', default: '200' },
		latency: { type: 'string', default: '0' },
		'rate-limit': { type: 'string', default: '300' },
		'rate-limit-window': { type: 'string', default: '60' },
		'rate-limit-headers': { type: 'string', default: 'ratelimit' },
		'rate-limit-routes': { type: 'string', default: 'listed' },
		'list-shape': { type: 'string', default: 'array' },
		'error-shape': { type: 'string', default: 'string' },
		help: { type: 'boolean', default: false },
	},
});

if (values.help) {
	console.log(`npm run sandbox -- [options], each shown with its default:

  --port 4010                    port on 127.0.0.1; 0 uses a free one
  --contacts 500 --tickets 200   number of records
  --latency 0                    milliseconds added to every response
  --rate-limit 300               requests per window; 0 for none
  --rate-limit-window 60         seconds
  --rate-limit-headers ratelimit or x-ratelimit, x-ratelimit-ms, combined, structured, named, retry-after, retry-after-date, none
  --rate-limit-routes listed     or all: also routes whose contract does not list 429
  --list-shape array             or wrapped: rows under a name inside data
  --error-shape string           or object, message, messages, errors, text, html, empty`);
	process.exit(0);
}

const started = performance.now();
const sandbox = await startSandbox({
	port: Number(values.port),
	contacts: Number(values.contacts),
	tickets: Number(values.tickets),
	latencyMs: Number(values.latency),
	rateLimit: {
		requests: Number(values['rate-limit']),
		windowSeconds: Number(values['rate-limit-window']),
		headers: values['rate-limit-headers'] as RateLimitHeaders,
		routes: values['rate-limit-routes'] as 'listed' | 'all',
	},
	shapes: {
		lists: values['list-shape'] as 'array' | 'wrapped',
		errors: values['error-shape'] as ErrorShape,
	},
	log: (line) => console.log(line),
});

console.log(
	`\nThe messaging service started in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`,
);
console.log(`  Base URL  ${sandbox.baseUrl}\n`);
for (const { label, value } of Object.values(sandbox.tokens))
	console.log(`  Token     ${value.padEnd(42)} ${label}`);
console.log(
	`\n  Try it:   curl -H 'Authorization: Bearer ${sandbox.tokens.all.value}' '${sandbox.baseUrl}/tickets?limit=2'`,
);
console.log('  Stop it:  Ctrl+C\n');

const stop = () => void sandbox.close().then(() => process.exit(0));
process.on('SIGINT', stop).on('SIGTERM', stop);
