/** The compiler before each run of the tests, in a small repository of its own. */
import { spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const OPERATION = 'nodes/ConversationalMessaging/resources/ticket/deleteNote';

const outputsOf = (file: string) =>
	['.js', '.js.map', '.d.ts'].map((ending) => `dist/${file}${ending}`);

let folder: string;

const write = (file: string, text: string) => {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	writeFileSync(join(folder, file), text);
};

const exists = (file: string) => existsSync(join(folder, file));

function compile() {
	const args = ['-e', "import('./tools/scripts/compile.mjs').then((module) => module.default())"];
	const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
	expect([status, stderr]).toStrictEqual([0, '']);
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'compile-'));
	symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
	mkdirSync(join(folder, 'tools/scripts'), { recursive: true });
	for (const file of ['tools/scripts/compile.mjs', 'tsconfig.json'])
		copyFileSync(file, join(folder, file));
	write(
		'tools/scripts/schemas.mts',
		`import { mkdirSync, writeFileSync } from 'node:fs';
		const folder = 'dist/nodes/ConversationalMessaging/__schema__/v1.0.0/user';
		mkdirSync(folder, { recursive: true });
		writeFileSync(folder + '/getAll.json', String(Date.now()));`,
	);
	write('nodes/index.ts', 'export const answer: number = 42;');
	write('nodes/icon.svg', '<svg/>');
	write('nodes/other.png', '');
	write(`${OPERATION}.ts`, 'export const name: string = "Delete Note";');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('what no source exists for any more is deleted from dist/, with its map and its types', () => {
	const schemas = 'dist/nodes/ConversationalMessaging/__schema__/v1.0.0/user/getAll.json';
	compile();
	for (const file of [OPERATION, 'nodes/index'])
		write(`dist/${file}.d.ts`, 'export declare const name: string;');
	expect([...outputsOf(OPERATION), ...outputsOf('nodes/index')].every(exists)).toBe(true);
	rmSync(join(folder, `${OPERATION}.ts`));
	rmSync(join(folder, 'nodes/icon.svg'));
	write(schemas, 'with that of the deleted operation');
	compile();
	expect([...outputsOf(OPERATION), 'dist/nodes/icon.svg'].filter(exists)).toStrictEqual([]);
	expect(readFileSync(join(folder, schemas), 'utf8')).toMatch(/^\d+$/);
	// What has a source stays.
	const rest = [...outputsOf('nodes/index'), 'dist/nodes/other.png'];
	expect(rest.filter((file) => !exists(file))).toStrictEqual([]);
});
