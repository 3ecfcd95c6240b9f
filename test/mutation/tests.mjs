/** Which tests run for a fault in which file. Of these, only those that execute it run, until one fails. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const NODES = join(ROOT, 'nodes/ConversationalMessaging');

/** The folders with logic. */
export const MEASURED = ['api', 'parameters', 'runner', 'resources', 'trigger'];

/** Tests that cover more than what they import. */
const FURTHER = {
	'api/pages': ['api/lists'],
	'api/send': ['api/timeouts', 'api/errors'],
	'api/streams': ['api/files', 'api/download'],
	'parameters/collection': ['parameters/parameters'],
	'parameters/dateTime': ['parameters/quietHours', 'parameters/fieldReader'],
	'parameters/parameters': ['parameters/fieldReader'],
	'resources/message/messagePlan': ['resources/sendMessage'],
	'resources/message/sendMessage': ['resources/sendMessage'],
	'runner/operation': ['runner/prepare'],
	'resources/contact/sync/contacts': ['resources/contact/sync/match'],
	'trigger/messages/message': ['trigger/messages/recognition'],
	'trigger/messages/subscription': ['trigger/subscription'],
	'trigger/messages/testEvent': ['trigger/messages/recognition'],
	'trigger/testEvent': ['trigger/poll'],
	'trigger/values': ['trigger/messages/state'],
};

/** Files in trigger/ that test/trigger/polls covers too: it shows what each poll requests, reports and expects next. */
const STEPS_OF_A_POLL = [
	'events',
	'fill',
	'lists',
	'lookups',
	'memory',
	'poll',
	'reader',
	'records',
	'rotation',
	'search',
	'seen',
	'sources/source',
	'sweep',
	'watch',
];

/** Files that tests use but are not about: fields, numbers, and what n8n does for operations, which its engine shows. */
const NOT_MEASURED = [
	'resources/contact/sync/fields',
	'runner/operationContext',
	'trigger/fields',
	'trigger/limits',
];

/** Files in trigger/messages/ that test/trigger/messages/courses covers too: it shows what happens from poll to poll. */
const STEPS_OF_A_MESSAGE_POLL = ['chatList', 'memory', 'poll', 'reads', 'selection', 'state'];

/** Too slow to run for every fault. */
const SLOW = [
	'api/csvWork',
	'api/rateLimiterSimulation',
	'resources/recipientsWork',
	'trigger/model',
	'trigger/scale',
	'trigger/scale.long',
	'trigger/messages/model',
	'trigger/messages/scale',
];

/** @param path a folder or a file, e.g. "api" or "api/retry". @returns the files in it, e.g. ["api/retry"] */
export function filesIn(path) {
	if (!MEASURED.includes(path.split('/')[0])) return [];
	if (existsSync(join(NODES, `${path}.ts`))) return [path];
	return sourcesIn(NODES, path, '.ts').filter((file) => !NOT_MEASURED.includes(file));
}

/** @returns the tests of a file: the one of its name, else those that import it, and further ones; fast ones come first */
export function testsOf(file) {
	const tests = MEASURED.flatMap((folder) => sourcesIn(join(ROOT, 'test'), folder, '.test.mts'));
	const own = tests.includes(file)
		? [file]
		: tests.filter((test) => importsOf(test).includes(file));
	const further = FURTHER[file] ?? [];
	const all = new Set([...own, ...further, ...pollsOf(file)]);
	return [...all].filter((test) => tests.includes(test) && !SLOW.includes(test));
}

/** The test that shows polls step by step, if it covers this file. */
function pollsOf(file) {
	if (STEPS_OF_A_POLL.some((name) => file === `trigger/${name}`)) return ['trigger/polls'];
	const isOfMessages = STEPS_OF_A_MESSAGE_POLL.some((name) => file === `trigger/messages/${name}`);
	return isOfMessages ? ['trigger/messages/courses'] : [];
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
