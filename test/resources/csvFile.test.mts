import fc from 'fast-check';
import Papa from 'papaparse';
import type { FilePart } from '../../nodes/ConversationalMessaging/api/files.ts';
import type { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import {
	readColumns,
	scanCsv,
	withoutSkippedRows,
	type CsvRules,
} from '../../nodes/ConversationalMessaging/resources/broadcast/csvFile.ts';
import { NumberSet } from '../../nodes/ConversationalMessaging/resources/broadcast/numberSet.ts';

async function* piecesOf(bytes: Uint8Array, size: number) {
	await Promise.resolve();
	for (let start = 0; start < bytes.length; start += size)
		yield bytes.subarray(start, start + size);
}

/** Reads a file in pieces of a size, as n8n's storage may return them. */
const contextWith = (size: number): OperationContext =>
	({
		readFile: async (
			{ bytes }: { bytes: Uint8Array },
			read: (pieces: AsyncIterable<Uint8Array>) => Promise<unknown>,
		) => await read(piecesOf(bytes, size)),
	}) as unknown as OperationContext;

const fileOf = (text: string | Uint8Array) => ({ bytes: Buffer.from(text) });

const numbers = (...list: number[]): NumberSet => {
	const set = new NumberSet();
	for (const each of list) set.add(each);
	return set;
};

const ALL: CsvRules = { phoneColumn: 'phone', skipRepeated: false };
const SKIP: CsvRules = { phoneColumn: 'phone', skipRepeated: true };

const scan = async (text: string | Uint8Array, rules = ALL, size = 7) =>
	await scanCsv(contextWith(size), fileOf(text), rules);

async function filtered(text: string | Uint8Array, rules: CsvRules, size = 7): Promise<Buffer> {
	const file = { fileName: 'a.csv', mimeType: 'text/csv', content: fileOf(text) };
	const context = contextWith(size);
	const found = await scanCsv(context, file.content, rules);
	const { content } = await withoutSkippedRows(context, file, rules, found);
	return Buffer.from((content as { bytes: Uint8Array }).bytes);
}

test('rows, repeated numbers in other spellings, and values that are no numbers are counted', async () => {
	const text = [
		'phone,1',
		'+1 202 555 0100,a',
		'1-202-555-0100,b',
		'',
		'12025550101,c',
		'0151 23456789,d',
		',e',
		'4.91511E+12,f',
		'',
	].join('\r\n');
	expect(await scan(text)).toMatchObject({
		columns: ['phone', '1'],
		rows: 6,
		repeated: 1,
		excluded: 0,
		invalid: 3,
		punctuated: 2,
		invalidRows: [
			{ row: 5, value: '0151 23456789' },
			{ row: 6, value: '' },
			{ row: 7, value: '4.91511E+12' },
		],
		sent: { rows: 6 },
	});
	const excluded = numbers(12_025_550_101);
	expect(await scan(text, { ...SKIP, excluded })).toMatchObject({
		repeated: 1,
		excluded: 1,
		sent: { rows: 4 },
	});
});

test.each<[text: string | Uint8Array, separator: string]>([
	['phone,1\n12025550100,a', ','],
	['phone;1\n12025550100;a', ';'],
	['\ufeff\n\n"phone";"a,b,c"\r\n12025550100;a', ';'],
	['phone\t1', '\t'],
	['phone', ','],
	['', ','],
])('the cells of %j are separated by %j', async (text, separator) => {
	for (const size of [1, 7, 65_536]) {
		const { columns, ...found } = await scan(text, ALL, size);
		expect(found).toMatchObject({ separator });
		expect(columns.slice(0, 1)).toEqual(text === '' ? [] : ['phone']);
	}
});

test('empty cells are counted in the columns of the template, in rows that are sent', async () => {
	const text = [
		'1,phone,größe,other',
		',12025550100,,',
		'a,12025550101, ,',
		'',
		'a,12025550101',
		'a,,"",x',
		'a,12025550102,ü,',
	].join('\n');
	const cells = async (rules: CsvRules) => {
		const content = { bytes: Buffer.from(text) };
		const template = ['phone', 'größe', '1', 'absent'];
		return (await scanCsv(contextWith(7), content, rules, template)).emptyCells;
	};
	expect(await cells(ALL)).toEqual([
		{ column: 'größe', index: 2, count: 4, rows: [2, 3, 4, 5] },
		{ column: '1', index: 0, count: 1, rows: [2] },
	]);
	expect((await cells(SKIP))[0]).toMatchObject({ count: 3, rows: [2, 3, 5] });
});

test('a value that may be a phone number, but is not a valid one, is sent once with Skip Repeated Numbers', async () => {
	const text = [
		'phone,1',
		'0049 151 23456789,a',
		'+49 151 23456789,b',
		'004915123456789,c',
		'0151/23456789,d',
		'0151-23456789,e',
		'n/a,f',
		'n/a,g',
		',h',
		',i',
		'4.91511E+12,j',
		'4.91511E+12,k',
	].join('\n');
	expect(await scan(text, SKIP)).toMatchObject({
		rows: 11,
		repeated: 2,
		// Nobody receives anything at the others, and a shortened number may be that of several people.
		invalid: 8,
		sent: { rows: 9 },
	});
	expect((await filtered(text, SKIP)).toString()).toBe(
		text.replace('004915123456789,c\n', '').replace('0151-23456789,e\n', ''),
	);
	expect(await scan(text)).toMatchObject({ repeated: 2, invalid: 10, sent: { rows: 11 } });
});

test('a row that is left out is not among those to check', async () => {
	const text = 'phone\n12025550100\n+1 202 555 0100\n0151 234567\n0151-234567';
	expect(await scan(text, SKIP)).toMatchObject({
		punctuated: 0,
		invalid: 1,
		invalidRows: [{ row: 4, value: '0151 234567' }],
	});
});

test.each<[what: string, text: string | Uint8Array, columns: string[], rows: number]>([
	['with commas', 'phone,1\n12025550100,a', ['phone', '1'], 1],
	['with semicolons', 'phone;1\n12025550100;a,b\n12025550101;c', ['phone', '1'], 2],
	['with tabs', 'phone\t1\n12025550100\ta;b', ['phone', '1'], 1],
	['with quotes', '"phone";"a,b,c,d"\n"12025550100";"x;y"', ['phone', 'a,b,c,d'], 1],
	['with line breaks in quotes', 'phone,1\n12025550100,"a\nb"\n', ['phone', '1'], 1],
	['with a byte order mark', '\ufeffphone,1\n12025550100,a', ['phone', '1'], 1],
	['with a byte order mark and quotes', '\ufeff"phone",1\n12025550100,a', ['phone', '1'], 1],
	['in UTF-8', 'phone,größe\n12025550100,ü', ['phone', 'größe'], 1],
	['with names without ASCII', 'phone,名前\n12025550100,ü', ['phone', '名前'], 1],
	[
		'in Windows-1252',
		Buffer.from('phone,gr\u00f6\u00dfe\n12025550100,\u00fc', 'latin1'),
		['phone', 'größe'],
		1,
	],
	['with a header row only', 'phone,1', ['phone', '1'], 0],
	['without anything', '', [], 0],
	['of one byte order mark', '\ufeff', [], 0],
	['of empty lines', '\n\r\n\n', [], 0],
])('a file %s is read', async (_what, text, columns, rows) => {
	for (const size of [1, 7, 65_536])
		expect(await scan(text, ALL, size)).toMatchObject({ columns, rows, invalid: 0 });
});

test.each([
	['number,phone', 'number', '12025550102,7'],
	['größe,Téléphone,x', 'Téléphone', 'Ann,12025550102,7'],
])('in %s, the phone numbers are in the column %s', async (header, phoneColumn, row) => {
	const excluded = numbers(12_025_550_102);
	for (const text of [`${header}\n${row}`, Buffer.from(`${header}\n${row}`, 'latin1')])
		expect(await scan(text, { ...ALL, phoneColumn, excluded })).toMatchObject({
			excluded: 1,
			invalid: 0,
		});
});

test.each<[text: string, columns: string[]]>([
	['\ufeff\n"größe";phone\n"', ['größe', 'phone']],
	['phone', ['phone']],
	['', []],
	['"phone,1\n12025550100,a', []],
])('the columns of %j are %j', async (text, columns) => {
	for (const size of [1, 65_536])
		expect(await readColumns(contextWith(size), fileOf(text))).toEqual(columns);
});

test('of many rows, ten to check and three to show are returned, and all are counted', async () => {
	const rows = Array.from({ length: 11 }, (_, i) => `no number ${i},`);
	const found = await scanCsv(contextWith(7), fileOf(['phone,1', ...rows].join('\n')), ALL, ['1']);
	const listed = Array.from({ length: 10 }, (_, i) => ({ row: i + 2, value: `no number ${i}` }));
	expect(found).toMatchObject({
		rows: 11,
		invalid: 11,
		invalidRows: listed,
		emptyCells: [{ column: '1', count: 11, rows: listed.map(({ row }) => row) }],
		first: [0, 1, 2].map((i) => ({ phone: `no number ${i}`, 1: '' })),
	});
});

test('of an empty file, nothing is counted', async () => {
	expect(await scan('')).toEqual({
		columns: [],
		separator: ',',
		emptyCells: [],
		rows: 0,
		repeated: 0,
		excluded: 0,
		invalid: 0,
		invalidRows: [],
		punctuated: 0,
		sent: { rows: 0, bytes: 0 },
		first: [],
	});
	const kept = await scan('phone\n12025550100');
	expect(Object.keys(kept).filter((key) => key === 'kept')).toEqual([]);
});

test('a file that n8n cannot read fails, and is not called unreadable', async () => {
	const context = {
		readFile: async () => await Promise.reject(new Error('No such file')),
	} as unknown as OperationContext;
	const content = { bytes: new Uint8Array() };
	await expect(scanCsv(context, content, ALL)).rejects.toThrow('No such file');
	await expect(readColumns(context, content)).rejects.toThrow('No such file');
});

test('a number with invisible characters in UTF-8 is the same number', async () => {
	const text = 'phone\n\u202a+49 151 23456789\u202c\n+49\u00a015123456789\n4915123456789';
	expect(await scan(text, SKIP)).toMatchObject({ rows: 3, repeated: 2, invalid: 0 });
});

test('the first rows are returned as text, for the messages of a preview', async () => {
	const text = Buffer.from(
		'phone;name\n12025550100;J\u00fcrgen\n12025550100;x\n12025550102;y',
		'latin1',
	);
	expect((await scan(text, SKIP)).first).toEqual([
		{ phone: '12025550100', name: 'Jürgen' },
		{ phone: '12025550102', name: 'y' },
	]);
});

test.each<[what: string, text: string | Uint8Array, reason: string]>([
	['with an open quote', 'phone,1\n12025550100,"a', 'a quote in row 2 is never closed'],
	[
		'in UTF-16',
		Buffer.from('\ufeffphone,1\n12025550100,a', 'utf16le'),
		'it is in UTF-16, or is not a text file',
	],
])('a file %s cannot be read', async (_what, text, reason) => {
	expect((await scan(text)).unreadable).toBe(reason);
});

test('without a column of phone numbers, nobody is left out', async () => {
	const text = 'phone,1\n12025550100,a\n12025550100,a';
	expect(await scan(text, { skipRepeated: true })).toMatchObject({
		rows: 2,
		repeated: 0,
		invalid: 0,
		punctuated: 0,
		sent: { rows: 2 },
	});
});

test('a file without the rows that are left out is otherwise the same, byte for byte', async () => {
	const text = Buffer.from(
		'\u00ef\u00bb\u00bfphone;1\r\n12025550100;"\u00e4; ""x""\r\n"\n\r\n 12025550101 ;b\r12025550100;c\n12025550102;d',
		'latin1',
	);
	for (let size = 1; size <= 40; size++)
		expect((await filtered(text, SKIP, size)).toString('latin1')).toBe(
			'\u00ef\u00bb\u00bfphone;1\r\n12025550100;"\u00e4; ""x""\r\n"\n 12025550101 ;b\r12025550102;d',
		);
	// As in files that were joined.
	const joined = 'phone\r\n12025550100\r\n12025550100\r\n\ufeff12025550101';
	for (let size = 1; size <= 40; size++)
		expect((await filtered(joined, SKIP, size)).toString()).toBe(
			'phone\r\n12025550100\r\n\ufeff12025550101',
		);
	const excluded = numbers(12_025_550_102);
	expect((await filtered('phone\n12025550101\n12025550102', { ...ALL, excluded })).toString()).toBe(
		'phone\n12025550101\n',
	);
});

test('a large file is sent in pieces of 64 KB, whether it is in memory or stored', async () => {
	const row = (i: number) => `1202${5_550_000 + (i % 1_800)},${'x'.repeat(80)}\n`;
	const rows = Array.from({ length: 2_000 }, (_, i) => row(i));
	const text = ['phone,1\n', ...rows].join('');
	const expected = ['phone,1\n', ...rows.slice(0, 1_800)].join('');
	expect((await filtered(text, SKIP, 50_000)).toString()).toBe(expected);

	const context = contextWith(50_000);
	const file = { fileName: 'a.csv', mimeType: 'text/csv', content: { stored: 'filesystem:1' } };
	const found = await scanCsv(context, fileOf(text), SKIP);
	const { content, ...rest } = await withoutSkippedRows(context, file, SKIP, found);
	const { part, stored } = content as { stored: string; part: FilePart };
	expect([stored, part.size, rest]).toEqual([
		'filesystem:1',
		Buffer.byteLength(expected),
		{ fileName: 'a.csv', mimeType: 'text/csv' },
	]);
	const pieces: Uint8Array[] = [];
	for await (const piece of part.of(piecesOf(Buffer.from(text), 50_000))) pieces.push(piece);
	expect(Buffer.concat(pieces).toString()).toBe(expected);
	const sizes = pieces.map(({ length }) => length);
	expect(sizes).toHaveLength(2);
	expect(sizes.slice(0, -1).every((size) => size >= 65_536 && size < 65_536 + 50_100)).toBe(true);
	expect(sizes.at(-1)).toBeGreaterThan(0);
});

const cell = fc.string({ unit: fc.constantFrom('a', 'ü', '🙂', '"', ',', ';', '\n', '\r', ' ') });
const phone = fc.constantFrom(
	'12025550100',
	'+1 202 555 0100',
	'12025550101',
	'12025550102',
	'0151 2345678',
	'0151-2345678',
	'n/a',
	'',
);

test('what is sent has the rows that a table without the left out rows has, in any size of pieces', () =>
	fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(phone, cell), { maxLength: 12 }),
			fc.constantFrom('\n', '\r\n', '\r'),
			fc.integer({ min: 1, max: 30 }),
			fc.boolean(),
			async (rows, newline, size, skipRepeated) => {
				const text = Papa.unparse(
					{ fields: ['phone', 'x'], data: rows },
					{ newline, quotes: true },
				);
				const rules = { phoneColumn: 'phone', skipRepeated, excluded: numbers(12_025_550_102) };
				const seen = new Set<string>();
				const expected = rows.filter(([value]) => {
					const digits = value.replace(/\D/g, '');
					if (digits === '12025550102') return false;
					if (digits === '') return true;
					const isNew = !seen.has(digits);
					seen.add(digits);
					return isNew || !skipRepeated;
				});
				const sent = await filtered(text, rules, size);
				const { data } = Papa.parse<string[]>(sent.toString(), { newline, delimiter: ',' });
				expect(data.slice(1).filter((line) => line.length > 1)).toEqual(expected);
				expect((await scan(text, rules, size)).sent).toEqual({
					rows: expected.length,
					bytes: sent.length,
				});
			},
		),
	));
