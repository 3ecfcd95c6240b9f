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
	'api/rateLimiter': ['api/rateLimiter', 'api/rateLimiterSimulation'],
	'api/send': ['api/send', 'api/timeouts', 'api/errors'],
	'api/streams': ['api/streams', 'api/files', 'api/download'],
	'parameters/collection': ['parameters/parameters'],
	'parameters/parameters': ['parameters/parameters', 'parameters/fieldReader'],
	// Only those on n8n's engine, which are too slow.
	'resources/operationContext': [],
	'resources/broadcast/batch': ['resources/broadcastBatch'],
	'resources/broadcast/csvRows': ['resources/broadcastBatch'],
	'trigger/baseline': ['trigger/checkpoint'],
	'trigger/fitting': ['trigger/checkpoint'],
	'trigger/keySet': ['trigger/checkpoint'],
	'trigger/observation': ['trigger/diff'],
	'trigger/order': ['trigger/order'],
	'trigger/orderText': ['trigger/checkpoint'],
	'trigger/recordGroups': ['trigger/checkpoint'],
	'trigger/version1': ['trigger/checkpoint'],
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
	if (file in HELD_BY) return HELD_BY[file];
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
