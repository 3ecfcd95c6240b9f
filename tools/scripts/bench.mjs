/** `npm run bench NAME` runs a benchmark and installs what it needs. Without a known name, it lists them. */
import './nodeVersion.mjs';
import { installReference, installTools, runCommand, runScript } from './steps.mjs';

/** What each measures. */
const BENCHMARKS = {
	capacity:
		'1,000 updates at services that carry 4, 16 or any number of requests at once (3 minutes)',
	cost: "loading the package, and CPU time per request beside n8n's own helper (3 minutes)",
	csv: "files of 100 MB in and out, compared with n8n's HTTP Request (4 minutes)",
	delay:
		'from a message to its execution by the number of chats and the rate limit, in simulated time (3 minutes)',
	items: "1,000 updates, compared with one after another and n8n's HTTP Request (10 minutes)",
	latency:
		'from a message to its execution, compared with a workflow of HTTP Request (an hour, in real time)',
	paging: "a list of 40 pages, compared with n8n's HTTP Request (1 minute)",
	'rate-limit': "300 writes at 60 per minute, compared with n8n's HTTP Request (5 minutes)",
	sync: '10,000 contacts with 20 changes, compared with updating every one (2 minutes)',
	trigger: 'polls of up to 100,000 tickets, compared with reading whole lists (2 minutes)',
};

const [first = '', ...args] = process.argv.slice(2);
const name = first.replace(/^-+/, '');

async function run() {
	installTools();
	installReference();
	await runScript('build');
	const file = name.replace(/-(.)/, (_all, letter) => letter.toUpperCase());
	// Those that measure memory collect garbage first.
	await runCommand('node', '--expose-gc', '--import', 'tsx', `tools/bench/${file}.mts`, ...args);
}

function list() {
	console.log('npm run bench NAME, where NAME is one of:\n');
	for (const [known, what] of Object.entries(BENCHMARKS))
		console.log(`  ${known.padEnd(12)}${what}`);
}

if (Object.keys(BENCHMARKS).includes(name)) {
	run();
} else {
	list();
	if (!['', 'help'].includes(name)) {
		console.error(`\nThere is no benchmark "${name}".`);
		process.exitCode = 1;
	}
}
