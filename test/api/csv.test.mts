import fc from 'fast-check';
import Papa from 'papaparse';
import { Readable } from 'node:stream';
import {
	countRows,
	CsvError,
	readCsv,
	readCsvHeader,
	writeCsv,
	type CsvTable,
} from '../../nodes/ConversationalMessaging/api/csv.ts';
import { runs } from '../runs.mts';

/** The bytes of a text, in pieces of this size, split even inside characters and line breaks. */
function piecesOf(text: string, size = 65_536): Readable {
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
			fc.constantFrom('name', '__proto__', 'constructor', 'a,b', 'a"b', ' a ', 'a\r\nb'),
			// Without what could separate the cells of the header row.
			fc
				.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
				.filter((name) => !/[;\t]/.test(name)),
		),
		{ minLength: 1, maxLength: 5 },
	)
	.chain((names) =>
		fc.array(fc.tuple(...names.map(() => cellText)), { maxLength: 10 }).map(
			(lines): CsvTable => ({
				columns: names,
				// A row of one empty cell is an empty line, which is skipped.
				rows: lines
					.filter((cells) => cells.length > 1 || cells[0] !== '')
					.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]!]))),
			}),
		),
	);

test('a table that was written reads back equal, wherever its bytes are split', () =>
	fc.assert(
		fc.asyncProperty(table, pieceSize, async (given, size) => {
			expect(await read(writeCsv(given), size)).toEqual(given);
			const header = await readCsvHeader(piecesOf(writeCsv(given), size));
			expect(header.columns).toEqual(given.columns);
		}),
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
				const data = given.rows.map((row) => given.columns.map((column) => row[column]!));
				const text = Papa.unparse({ fields: given.columns, data }, { newline, quotes });
				expect(await read(lastBreak ? text + newline : text, size)).toEqual(given);
			},
		),
	));

test('Papa Parse reads back what was written', () =>
	fc.assert(
		fc.property(table, (given) => {
			const lines = given.rows.map((row) => given.columns.map((column) => row[column]!));
			const { data } = Papa.parse<string[]>(writeCsv(given), {
				delimiter: ',',
				newline: '\r\n',
				skipEmptyLines: true,
			});
			expect(data).toEqual([given.columns, ...lines]);
		}),
	));

test('any text reads the same, wherever its bytes are split', () =>
	fc.assert(
		fc.asyncProperty(anyText, pieceSize, async (text, size) => {
			const whole = await read(text).catch(String);
			const pieces = await read(text, size).catch(String);
			expect(pieces).toEqual(whole);
		}),
		{ numRuns: runs(100, 5_000) },
	));

test.each<[what: string, text: string, columns: string[], lines: string[][]]>([
	['a byte order mark', '\uFEFFa,b\n1,2\n', ['a', 'b'], [['1', '2']]],
	['a byte order mark before a quote', '\uFEFF"a",b\n1,2', ['a', 'b'], [['1', '2']]],
	['quotes in the header row', '"a, ""b""",c\n1,2', ['a, "b"', 'c'], [['1', '2']]],
	['a line break in the header row', '"a\r\nb",c\n1,2', ['a\r\nb', 'c'], [['1', '2']]],
	['a quote inside an unquoted name', '5" screen,c\n1,2', ['5" screen', 'c'], [['1', '2']]],
	['no line break at the end', 'a,b\n1,2', ['a', 'b'], [['1', '2']]],
	['an empty cell at the very end', 'a,b\n1,', ['a', 'b'], [['1', '']]],
	['a quoted cell at the very end', 'a,b\n1,"2"', ['a', 'b'], [['1', '2']]],
	[
		'only carriage returns',
		'a,b\r1,2\r3,4',
		['a', 'b'],
		[
			['1', '2'],
			['3', '4'],
		],
	],
	[
		'CRLF and LF mixed',
		'a,b\r\n1,2\n3,4\n5,"6"\r\n7,8',
		['a', 'b'],
		[
			['1', '2'],
			['3', '4'],
			['5', '6'],
			['7', '8'],
		],
	],
	['empty lines', '\n\na,b\n\r\n1,2\n\n\n', ['a', 'b'], [['1', '2']]],
	[
		'a row of empty cells',
		'a,b\n,\n1,2',
		['a', 'b'],
		[
			['', ''],
			['1', '2'],
		],
	],
	['a row that is too short', 'a,b\n1', ['a', 'b'], [['1', '']]],
	['quotes that were not doubled', 'a,b\n"5" screen",2', ['a', 'b'], [['5" screen', '2']]],
	['spaces after a closing quote', 'a,b\n"1" ,2', ['a', 'b'], [['1', '2']]],
	['spaces around cells', 'a,b\n 1 , 2 ', ['a', 'b'], [[' 1 ', ' 2 ']]],
	['nothing', '', [], []],
	['only line breaks', '\r\n\r\n', [], []],
	['a header row alone', 'a,b', ['a', 'b'], []],
])('CSV is read with %s', async (_what, text, columns, lines) => {
	const rows = lines.map((cells) =>
		Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
	);
	for (const size of [1, 2, 3, 65_536]) expect(await read(text, size)).toEqual({ columns, rows });
});

test.each([
	['a', 'a'],
	['a b', 'a b'],
	["it's", "it's"],
	['', ''],
	[' a', '" a"'],
	['a ', '"a "'],
	['a,b', '"a,b"'],
	['a"b', '"a""b"'],
	['a\nb', '"a\nb"'],
	['a\rb', '"a\rb"'],
	['\uFEFFa', '"\uFEFFa"'],
])('the cell %j is written as %j: in quotes only where a reader needs them', (cell, written) => {
	expect(writeCsv({ columns: ['x'], rows: [{ x: cell }, {}] })).toBe(`x\r\n${written}\r\n`);
});

test('a column can have the name of an object’s own property', async () => {
	const [row] = (await read('__proto__,a\n1,2')).rows;
	expect(Object.entries(row!)).toEqual([
		['__proto__', '1'],
		['a', '2'],
	]);
	expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
});

test.each<[what: string, text: string, row: Record<string, string>]>([
	['a name that comes twice', 'a,a,a\n1,2,3', { a: '1', a_2: '2', a_3: '3' }],
	['a name that looks like a repeated one', 'a,a_1,a_1\n1,2,3', { a: '1', a_1: '2', a_1_2: '3' }],
	['a repeated name whose new name is taken', 'a,a,a_2\n1,2,3', { a: '1', a_3: '2', a_2: '3' }],
	['a column without a name', 'a,,\n1,2,3', { a: '1', column2: '2', column3: '3' }],
	['cells beyond the header row', 'a\n1,2,3', { a: '1', column2: '2', column3: '3' }],
	[
		'cells beyond the header row, beside a column named column2',
		'column2,b\n1,2,3',
		{ column2: '1', b: '2', column3: '3' },
	],
	[
		'cells beyond the header row whose new name is taken',
		'column3,b\n1,2,3',
		{ column3: '1', b: '2', column3_2: '3' },
	],
	['empty cells beyond the header row', 'a\n1,,', { a: '1' }],
])('CSV loses no value with %s', async (_what, text, row) => {
	expect((await read(text)).rows).toEqual([row]);
});

test.each([
	['a,b\n1,2;3', ',', { a: '1', b: '2;3' }],
	['a;b\n1;2,3', ';', { a: '1', b: '2,3' }],
	['a\tb\n1\t2,3', '\t', { a: '1', b: '2,3' }],
	['a,b;c,d\n1,2,3', ',', { a: '1', 'b;c': '2', d: '3' }],
	['"a,b,c";d\n1;2', ';', { 'a,b,c': '1', d: '2' }],
	['\n\na;b\n1;2', ';', { a: '1', b: '2' }],
	['a;b', ';', undefined],
])('what separates cells is what the header row has most of: %j', async (text, separator, row) => {
	for (const size of [1, 65_536]) {
		expect((await read(text, size)).rows).toEqual(row ? [row] : []);
		expect((await readCsvHeader(piecesOf(text, size))).separator).toBe(separator);
	}
});

test('a table that was written with semicolons reads back equal', async () => {
	const given = { columns: ['a', 'b'], rows: [{ a: '1;2', b: '3,4' }] };
	expect(writeCsv(given, ';')).toBe('a;b\r\n"1;2";3,4');
	expect(await read(writeCsv(given, ';'))).toEqual(given);
});

test('a CR inside quotes is text in a file whose lines end in another way', async () => {
	expect((await read('a,b\r\n"1\r2",3\r\n')).rows).toEqual([{ a: '1\r2', b: '3' }]);
});

test('the header row is returned as the file has it', async () => {
	const header = await readCsvHeader(piecesOf('a,a,,"b ""c"""\n1,2'));
	expect(header).toEqual({ columns: ['a', 'a', '', 'b "c"'], separator: ',' });
	expect(await readCsvHeader(piecesOf(''))).toEqual({ columns: [], separator: ',' });
});

test('a quote that is never closed is rejected with its row, instead of hiding the rows after it', async () => {
	const text = 'a,b\n1,2\n3,"4\n5,6\n';
	for (const size of [1, 4, 65_536]) {
		await expect(read(text, size)).rejects.toThrow(
			new CsvError('a quote in row 3 is never closed'),
		);
	}
	for (let size = 1; size < 30; size++)
		await expect(read(`a\n"${'x'.repeat(20)}"\n"3`, size)).rejects.toThrow('a quote in row 3 is');
	// The last row but one is completed by the last piece.
	await expect(read('a\n1\n2\n"3', 6)).rejects.toThrow('a quote in row 4 is never closed');
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
	expect((await readCsvHeader(endless)).columns).toEqual(['a', 'b']);
	expect(endless.destroyed).toBe(true);
	expect(pieces).toBeLessThan(20);
});

test('as many rows are counted as a file has, wherever its bytes are split', () =>
	fc.assert(
		fc.asyncProperty(table, pieceSize, async (given, size) => {
			expect(await countRows(piecesOf(writeCsv(given), size))).toBe(given.rows.length);
		}),
	));

test.each([
	['no rows', 'phone,name\n', 0],
	['nothing', '', 0],
	['empty lines', '\n\nphone,name\n\n1,a\n\n', 1],
	['semicolons', 'phone;name\r\n1;"a;\nb"\r\n2;c', 2],
	['tabs', 'phone\tname\r1\t"a\tb"\r2\tc\r', 2],
	['a byte order mark', '\uFEFFphone\n1\n2', 2],
])('the rows of a file with %s are counted', async (_what, text, count) => {
	expect(await countRows(piecesOf(text, 3))).toBe(count);
});

test('rows that cannot be told apart are not counted', async () => {
	await expect(countRows(piecesOf('phone\n"1'))).rejects.toThrow(CsvError);
	const utf16 = Readable.from([Buffer.from('phone\n1\n', 'utf16le')]);
	await expect(countRows(utf16)).rejects.toThrow(/UTF-16/);
});
