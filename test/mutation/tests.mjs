/** Which tests run for a fault in which file: as few as hold it, since every fault runs them again. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const NODES = join(ROOT, 'nodes/ConversationalMessaging');

/** The folders with logic. */
export const MEASURED = ['api', 'parameters', 'resources', 'trigger'];

/** Files that other tests hold than those below. */
const HELD_BY = {
	'api/pages': ['api/pages', 'api/lists'],
	'api/rateLimiter': ['api/rateLimiter', 'api/rateLimiterReserve', 'api/rateLimiterSimulation'],
	'api/send': ['api/send', 'api/timeouts', 'api/errors'],
	'api/streams': ['api/streams', 'api/files', 'api/download'],
	'parameters/collection': ['parameters/parameters'],
	'parameters/parameters': ['parameters/parameters', 'parameters/fieldReader'],
	// Only those on n8n's engine, which are too slow.
	'resources/operationContext': [],
	'resources/batch': ['resources/rejectedItems', 'resources/broadcastBatch'],
	'resources/broadcast/batch': ['resources/rejectedItems', 'resources/broadcastBatch'],
	'resources/broadcast/csvRows': ['resources/rejectedItems', 'resources/broadcastBatch'],
	'resources/contact/sync/indexes': ['resources/contact/sync/match'],
	'resources/contact/sync/labels': ['resources/contact/sync/differences'],
	'trigger/backfill': ['trigger/backfill', 'trigger/polls'],
	'trigger/baseline': ['trigger/baseline', 'trigger/checkpoint', 'trigger/polls'],
	'trigger/checkpoint': ['trigger/checkpoint', 'trigger/polls'],
	'trigger/counts': ['trigger/polls'],
	'trigger/details': ['trigger/polls'],
	'trigger/diff': ['trigger/diff', 'trigger/polls'],
	'trigger/fitting': ['trigger/fitting', 'trigger/checkpoint'],
	'trigger/keySet': ['trigger/keySet', 'trigger/checkpoint'],
	'trigger/limits': ['trigger/poll'],
	'trigger/listOrders': ['trigger/polls'],
	'trigger/lister': ['trigger/lister', 'trigger/polls'],
	'trigger/lookups': ['trigger/lookups', 'trigger/polls'],
	'trigger/nextBaseline': ['trigger/polls', 'trigger/poll'],
	'trigger/observation': ['trigger/observation', 'trigger/diff', 'trigger/polls'],
	'trigger/order': ['trigger/order', 'trigger/polls'],
	'trigger/orderText': ['trigger/orderText', 'trigger/checkpoint'],
	'trigger/poll': ['trigger/poll', 'trigger/polls'],
	'trigger/recordGroups': ['trigger/recordGroups', 'trigger/checkpoint'],
	'trigger/search': ['trigger/polls'],
	'trigger/snapshot': ['trigger/snapshot', 'trigger/polls'],
	'trigger/sources/broadcasts': ['trigger/sources', 'trigger/subscription', 'trigger/polls'],
	'trigger/sources/chats': ['trigger/sources', 'trigger/subscription', 'trigger/polls'],
	'trigger/sources/importJobs': ['trigger/sources', 'trigger/subscription', 'trigger/polls'],
	'trigger/sources/index': ['trigger/subscription'],
	'trigger/sources/source': ['trigger/sources', 'trigger/polls'],
	'trigger/sources/tickets': ['trigger/sources', 'trigger/subscription', 'trigger/polls'],
	'trigger/testEvent': ['trigger/testEvent', 'trigger/poll'],
	'trigger/values': ['trigger/checkpoint', 'trigger/version1'],
};

/** Too slow to run for every fault. */
const SLOW = ['trigger/checkpointSize', 'trigger/model', 'trigger/scale'];

/** @param path a folder or a file, e.g. "api" or "api/retry". @returns the files in it, e.g. ["api/retry"] */
export function filesIn(path) {
	if (!MEASURED.includes(path.split('/')[0])) return [];
	if (existsSync(join(NODES, `${path}.ts`))) return [path];
	return sourcesIn(NODES, path, '.ts');
}

/** @returns the tests of a file: those listed above, else the one of its name, else those that import it */
export function testsOf(file) {
	const exists = (test) => existsSync(join(ROOT, `test/${test}.test.mts`));
	if (file in HELD_BY) return HELD_BY[file].filter(exists);
	if (existsSync(join(ROOT, `test/${file}.test.mts`))) return [file];
	const tests = MEASURED.flatMap((folder) => sourcesIn(join(ROOT, 'test'), folder, '.test.mts'));
	return tests.filter((test) => !SLOW.includes(test) && importsOf(test).includes(file));
}

function sourcesIn(root, folder, ending) {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true })
		.map((name) => join(folder, name).replaceAll('\\', '/'))
		.filter((name) => name.endsWith(ending) && statSync(join(root, name)).isFile())
		.map((name) => name.slice(0, -ending.length))
		.sort();
}

/** What a test imports from the node, types aside. */
function importsOf(test) {
	const text = readFileSync(join(ROOT, `test/${test}.test.mts`), 'utf8');
	const imports = text.matchAll(
		/^import (?!type )[^;]*? from '(?:\.\.\/)+nodes\/ConversationalMessaging\/([^']+)\.ts'/gm,
	);
	return [...imports].map(([, path]) => path);
}
