import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = 'nodes/ConversationalMessaging';

/** Every import of a relative file in a source file, as a path from the repository's root. */
function importsOf(file: string): string[] {
	const specifiers = [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(
		([, specifier]) => specifier!,
	);
	return specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
}

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => join(ROOT, name));

/** Folders from the outermost to the innermost: each may import only from itself and from inner ones. */
const ROOMS = [
	['resources', 'trigger'],
	['listSearch', 'resourceMapping', 'credentialTest', 'descriptions'],
	['parameters'],
	['api'],
];
const isIn = (path: string, room: string) => path.startsWith(join(ROOT, room, '/'));
const roomOf = (path: string) => ROOMS.findIndex((rooms) => rooms.some((room) => isIn(path, room)));
const resourceOf = (path: string) => /resources\/(\w+)\//.exec(path)?.[1];

test.each(files)('%s imports only from the same room or further inwards', (file) => {
	const from = roomOf(file);
	for (const target of importsOf(file)) {
		expect(target.startsWith(ROOT)).toBe(true);
		if (from >= 0) expect([target, roomOf(target) >= from]).toEqual([target, true]);
	}
});

test.each([
	['resources', 'trigger'],
	['trigger', 'resources'],
])('no file in %s/ imports from %s/', (room, other) => {
	for (const file of files.filter((name) => isIn(name, room)))
		expect(importsOf(file).filter((target) => isIn(target, other))).toEqual([]);
});

test('no resource imports from another', () => {
	for (const file of files) {
		const own = resourceOf(file);
		if (own === undefined) continue;
		for (const target of importsOf(file)) expect([undefined, own]).toContain(resourceOf(target));
	}
});

test('api/ names no endpoint', () => {
	// The permission matrix lists every route, as the service's document does.
	const isMatrix = (name: string) => name === join(ROOT, 'api/permissions.ts');
	for (const file of files.filter((name) => isIn(name, 'api') && !isMatrix(name))) {
		const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
		expect([file, /'(GET|POST|PUT|PATCH|DELETE) \//.exec(code)]).toEqual([file, null]);
	}
});
