import fc from 'fast-check';
import Papa from 'papaparse';
import { Readable } from 'node:stream';
import {
	countRows,
	CsvError,
	MAX_ROW_LENGTH,
	readCsv,
	readCsvHeader,
	writeCsv,
} from '../../nodes/ConversationalMessaging/api/files/csv.ts';
import { runs } from '../support/runs.mts';

/** The bytes of a text, in pieces of this size, split even inside characters and line breaks. */
function piecesOf(text: string | Buffer, size = 65_536): Readable {
	const bytes = Buffer.from(text);
	return Readable.from(
		Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
			bytes.subarray(n * size, (n + 1) * size),
		),
	);
}

const read = async (text: string, size?: number) => await readCsv(piecesOf(text, size));

const character = fc.constantFrom('a', 'ü', '🙂', '"', ',', ';', '\n', '\r', ' ', "'", '\t', '=');
const anyText = fc.string({ unit: character });
/** At the end of a row, a CR is part of the line break. */
const cellText = anyText.filter((text) => !text.endsWith('\r'));
const pieceSize = fc.integer({ min: 1, max: 40 });

const table = fc
	.uniqueArray(
		fc.oneof(
			fc.constantFrom('name', 'constructor', 'a,b', 'a"b', ' a ', 'a\r\nb'),
			// Without what could separate the cells of the header row.
			fc
				.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
				.filter((name) => !/[;\t]/.test(name)),
		),
		{ minLength: 1, maxLength: 5 },
	)
	.chain((names) =>
		fc.array(fc.tuple(...names.map(() => cellText)), { maxLength: 10 }).map((lines) => ({
			columns: names,
			// A row of one empty cell is an empty line, which is skipped.
			rows: lines
				.filter((cells) => cells.length > 1 || cells[0] !== '')
				.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]!]))),
		})),
	);

const often = { numRuns: runs(40, 1_000) };

test('a table that was written reads back equal, with as many rows, wherever its bytes are split', () =>
	fc.assert(
		fc.asyncProperty(table, pieceSize, async (given, size) => {
			const text = await writeCsv(given);
			expect(await read(text, size)).toStrictEqual(given.rows);
			expect((await readCsvHeader(piecesOf(text, size))).columns).toStrictEqual(given.columns);
			expect(await countRows(piecesOf(text, size))).toBe(given.rows.length);
		}),
		often,
	));

test('a file from Papa Parse reads back equal, with every line ending and with or without one at the end', () =>
	fc.assert(
		fc.asyncProperty(
			table,
			pieceSize,
			fc.constantFrom('\n', '\r\n', '\r'),
			fc.boolean(),
			fc.boolean(),
			async (given, size, newline, quotes, lastBreak) => {
				// The first line shows how rows end.
				fc.pre(newline !== '\r' || !given.columns.some((name) => name.includes('\n')));
				const data = given.rows.map((row) => given.columns.map((column) => row[column]!));
				const text = Papa.unparse({ fields: given.columns, data }, { newline, quotes });
				expect(await read(lastBreak ? text + newline : text, size)).toStrictEqual(given.rows);
			},
		),
		often,
	));

test('any text reads the same, wherever its bytes are split', () =>
	fc.assert(
		fc.asyncProperty(anyText, pieceSize, async (text, size) => {
			const whole = await read(text).catch(String);
			const pieces = await read(text, size).catch(String);
			expect(pieces).toStrictEqual(whole);
		}),
		{ numRuns: runs(100, 5_000) },
	));

test.each<[what: string, text: string, lines: string[]]>([
	['a byte order mark before a quote', '\uFEFF"a",b\n1,2', ['a|b', '1|2']],
	['quotes in the header row', '"a, ""b""",c\n1,2', ['a, "b"|c', '1|2']],
	['a line break in the header row', '"a\r\nb",c\n1,2', ['a\r\nb|c', '1|2']],
	['a quote inside an unquoted name', '5" screen,c\n1,2', ['5" screen|c', '1|2']],
	['an empty cell at the very end', 'a,b\n1,', ['a|b', '1|']],
	['a quoted cell at the very end', 'a,b\n1,"2"', ['a|b', '1|2']],
	['only carriage returns', 'a,b\r1,2\r3,4', ['a|b', '1|2', '3|4']],
	['CRLF and LF mixed', 'a,b\r\n1,2\n3,"4"\r\n5,6', ['a|b', '1|2', '3|4', '5|6']],
	['a CR inside quotes', 'a,b\r\n"1\r2",3\r\n', ['a|b', '1\r2|3']],
	['empty lines', '\n\na,b\n\r\n1,2\n\n\n', ['a|b', '1|2']],
	['a row of empty cells', 'a,b\n,\n1,2', ['a|b', '|', '1|2']],
	['quotes that were not doubled', 'a,b\n"5" screen",2', ['a|b', '5" screen|2']],
	['spaces around cells', 'a,b,c\n 1 ,"2" , 3 ', ['a|b|c', ' 1 |2| 3 ']],
	['a header row alone', 'a,b', ['a|b']],
	['nothing but line breaks', '\r\n\r\n', []],
])('CSV is read with %s', async (_what, text, lines) => {
	const [columns = [], ...table] = lines.map((line) => line.split('|'));
	const rows = table.map((cells) =>
		Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
	);
	for (const size of [1, 2, 3, 65_536]) {
		expect(await read(text, size)).toStrictEqual(rows);
		expect((await readCsvHeader(piecesOf(text, size))).columns).toStrictEqual(columns);
	}
});

test.each([
	['a', 'a'],
	["it's", "it's"],
	['', ''],
	[' a', '" a"'],
	['a,b', '"a,b"'],
	['a"b', '"a""b"'],
	['a\nb', '"a\nb"'],
	['a\rb', '"a\rb"'],
	['\uFEFFa', '"\uFEFFa"'],
])(
	'the cell %j is written as %j: in quotes only where a reader needs them',
	async (cell, written) => {
		expect(await writeCsv({ columns: ['x'], rows: [{ x: cell }, {}] })).toBe(`x\r\n${written}\r\n`);
	},
);

test.each<[what: string, text: string, row: Record<string, string>]>([
	['a name that comes twice', 'a,a,a\n1,2,3', { a: '1', a_2: '2', a_3: '3' }],
	['a repeated name whose new name is taken', 'a,a,a_2\n1,2,3', { a: '1', a_2_: '2', a_2: '3' }],
	['a column without a name', 'a,,\n1,2,3', { a: '1', column2: '2', column3: '3' }],
	['cells beyond the header row', 'a\n1,2,3', { a: '1', column2: '2', column3: '3' }],
	[
		'cells beyond the header row whose new name is taken',
		'column3,b\n1,2,3',
		{ column3: '1', b: '2', column3_: '3' },
	],
	['the name of an object’s own property', 'a,__proto__\n1,2', { a: '1', __proto___2: '2' }],
	['empty cells beyond the header row', 'a\n1,,', { a: '1' }],
	['fewer cells than the header row', 'a,b\n1', { a: '1' }],
])('CSV loses no value with %s', async (_what, text, row) => {
	expect(await read(text)).toStrictEqual([row]);
});

test.each([
	['a,b\n1,2;3', ',', { a: '1', b: '2;3' }],
	['a;b\n1;2,3', ';', { a: '1', b: '2,3' }],
	['a\tb\n1\t2,3', '\t', { a: '1', b: '2,3' }],
	['"a,b,c";d\n1;2', ';', { 'a,b,c': '1', d: '2' }],
	['\n\r\na;b\n1;2,3', ';', { a: '1', b: '2,3' }],
	['a;b', ';', undefined],
])('what separates cells is what the header row has most of: %j', async (text, separator, row) => {
	for (const size of [1, 65_536]) {
		expect(await read(text, size)).toStrictEqual(row ? [row] : []);
		expect((await readCsvHeader(piecesOf(text, size))).separator).toBe(separator);
	}
});

test('the header row is returned as the file has it', async () => {
	const header = await readCsvHeader(piecesOf('a,a,,"b ""c"""\n1,2'));
	expect(header).toStrictEqual({ columns: ['a', 'a', '', 'b "c"'], separator: ',' });
	expect(await readCsvHeader(piecesOf(''))).toStrictEqual({ columns: [], separator: ',' });
});

test('a quote that is never closed is rejected with its row, instead of hiding the rows after it', async () => {
	const text = 'a,b\n1,2\n3,"4\n5,6\n';
	for (const size of [1, 4, 65_536]) {
		await expect(read(text, size)).rejects.toThrow(
			new CsvError('a quote in row 3 is never closed'),
		);
	}
	// The last row but one is completed by the last piece.
	await expect(read('a\n1\n2\n"3', 6)).rejects.toThrow('a quote in row 4 is never closed');
});

test('a row that does not end is not collected for ever', async () => {
	for (const quote of ['', '"']) {
		for (const rows of ['', 'a\n1\n']) {
			const endless = Readable.from(
				(function* () {
					yield Buffer.from(rows + quote);
					for (;;) yield Buffer.alloc(1_048_576, 'x');
				})(),
			);
			await expect(readCsv(endless)).rejects.toThrow(
				new CsvError(`row ${rows ? 3 : 1} is too long, or a quote in it is never closed`),
			);
			expect(endless.destroyed).toBe(true);
		}
	}
});

test.each<[what: string, row: (length: number) => string]>([
	['text', (length) => 'x'.repeat(length)],
	['text in quotes', (length) => `"${'x'.repeat(length - 2)}"`],
	['line breaks in quotes', (length) => `"${'\n'.repeat(length - 2)}"`],
	['cells', (length) => `${','.repeat(length - 1)}x`],
])('a row may have 100,000 characters, wherever its bytes are split: %s', async (_what, row) => {
	const count = async (text: string, size: number) =>
		await countRows(piecesOf(text, size)).catch(String);
	for (const size of [9_973, 65_536, 1_048_576]) {
		for (const before of ['', 'a\n1\r\n']) {
			for (const after of ['', '\n', '\r\n', '\n2\n']) {
				const rows = (before ? 2 : 0) + (after.includes('2') ? 1 : 0);
				expect(await count(before + row(MAX_ROW_LENGTH) + after, size)).toBe(rows);
				for (const length of [MAX_ROW_LENGTH + 1, 120_000])
					expect(await count(before + row(length) + after, size)).toBe(
						`Error: row ${before ? 3 : 1} is too long, or a quote in it is never closed`,
					);
			}
		}
	}
});

test('what is before a row that is too long is read', async () => {
	const text = `a,b\n1,2\n${'x'.repeat(120_000)}\n`;
	for (const size of [9_973, 1_048_576])
		expect((await readCsvHeader(piecesOf(text, size))).columns).toStrictEqual(['a', 'b']);
});

test('a long header row before short rows costs no more memory than the file', async () => {
	const header = `${'a,'.repeat(MAX_ROW_LENGTH / 2 - 1)}a\n`;
	const rows = await read(header + '1\n'.repeat(100_000));
	expect([rows.length, rows.at(-1)]).toStrictEqual([100_000, { a: '1' }]);
});

test('a stream that fails makes reading fail', async () => {
	const broken = new Readable({
		read() {
			this.destroy(new Error('cut'));
		},
	});
	await expect(readCsv(broken)).rejects.toThrow('cut');
});

test('reading the header row stops the stream after its beginning', async () => {
	let pieces = 0;
	const endless = Readable.from(
		(function* () {
			yield Buffer.from('a,b\n');
			for (;;) {
				pieces++;
				yield Buffer.from('1,2\n'.repeat(1_000));
			}
		})(),
	);
	expect((await readCsvHeader(endless)).columns).toStrictEqual(['a', 'b']);
	expect(endless.destroyed).toBe(true);
	expect(pieces).toBeLessThan(20);
});

test.each([
	['no rows', 'phone,name\n', 0],
	['empty lines', '\n\nphone,name\n\n1,a\n\n', 1],
	['semicolons', 'phone;name\r\n1;"a;\nb"\r\n2;c', 2],
])('the rows of a file with %s are counted', async (_what, text, count) => {
	expect(await countRows(piecesOf(text, 3))).toBe(count);
});

test('rows are counted in any encoding but UTF-16', async () => {
	expect(await countRows(piecesOf(Buffer.from('name\nJürgen', 'latin1'), 3))).toBe(1);
	for (const bytes of [utf16, Buffer.from(utf16).swap16()])
		await expect(countRows(piecesOf(bytes))).rejects.toThrow(NOT_READ);
});

/** The work of reading a text, on any machine: characters that are read, and names that are looked up. */
async function workOf(given: string): Promise<number> {
	let work = 0;
	const original = {
		text: Object.getOwnPropertyDescriptors(String.prototype),
		set: Object.getOwnPropertyDescriptors(Set.prototype),
	};
	String.prototype.charCodeAt = function (index) {
		work++;
		return original.text.charCodeAt.value!.call(this, index);
	};
	String.prototype.indexOf = function (wanted, from = 0) {
		const found = original.text.indexOf.value!.call(this, wanted, from);
		work += 1 + (found === -1 ? this.length : found) - from;
		return found;
	};
	Set.prototype.has = function (value) {
		work++;
		return original.set.has.value!.call(this, value);
	};
	try {
		await read(given, 4_096).catch(() => undefined);
	} finally {
		Object.defineProperties(String.prototype, original.text);
		Object.defineProperties(Set.prototype, original.set);
	}
	return work;
}

// 4 is linear, and a little more if a row is scanned again when its text has doubled. Quadratic would be 16.
test.each<[what: string, text: (size: number) => string]>([
	['rows', (size) => 'id,name\n' + '1234,"Smith, Nathan"\n'.repeat(1_000 * size)],
	['cells of quotes and spaces', (size) => `a\n${`"${'" x'.repeat(8_000)}"\n`.repeat(size)}`],
	['a quote that is never closed', (size) => `a\n"${'b,c\n'.repeat(25_000 * size)}`],
	['one row of cells', (size) => `${'a,'.repeat(4_000 * size)}a\n1,2\n`],
])('the work of reading CSV grows in proportion to its length: %s', async (_what, text) => {
	const [one, four] = [await workOf(text(1)), await workOf(text(4))];
	expect(one).toBeGreaterThan(text(1).length / 4);
	expect(four / one).toBeLessThan(6);
});

const NOT_READ = new CsvError('it is not a text in UTF-8');
const utf16 = Buffer.from('\uFEFFname;city\r\nJürgen;Köln', 'utf16le');

test.each([
	['Windows-1252', Buffer.from('name\nJürgen', 'latin1')],
	['UTF-16', utf16],
	['UTF-16 in the other order', Buffer.from(utf16).swap16()],
	['UTF-16 without a byte order mark', utf16.subarray(2)],
	['UTF-8 that ends within a character', Buffer.from('name\nJü').subarray(0, -1)],
])('a file in %s is not read', async (_what, bytes) => {
	for (const size of [1, 65_536])
		await expect(readCsv(piecesOf(bytes, size))).rejects.toThrow(NOT_READ);
});

test('a character that another program could not read is read as it is', async () => {
	expect(await read('name\nJ\uFFFDrgen', 1)).toStrictEqual([{ name: 'J\uFFFDrgen' }]);
});
