import fc from 'fast-check';
import { Readable } from 'node:stream';
import { readCsv, readCsvStream, writeCsv } from '../../nodes/ConversationalMessaging/api/csv.ts';

test('what is written is read back equal', () => {
	const cell = fc.string({
		unit: fc.constantFrom('a', 'ü', '"', ',', ';', '\n', ' ', "'", '\t', '='),
	});
	const columns = fc.uniqueArray(
		fc.oneof(
			fc.constantFrom('name', '__proto__', 'constructor', 'a,b', 'a"b'),
			fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' }),
		),
		{
			minLength: 1,
			maxLength: 5,
		},
	);
	const table = columns.chain((names) =>
		fc.array(fc.tuple(...names.map(() => cell)), { maxLength: 10 }).map((lines) => ({
			columns: names,
			// A row of empty cells is an empty line, which is no row.
			rows: lines
				.filter((cells) => cells.some((text) => text.trim() !== ''))
				.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]!]))),
		})),
	);
	const size = fc.integer({ min: 1, max: 40 });
	return fc.assert(
		fc.asyncProperty(table, size, async (given, pieces) => {
			const text = writeCsv(given);
			expect(readCsv(text)).toEqual(given);
			// Cut anywhere, also in the middle of a character or a line break.
			const bytes = Buffer.from(text);
			const stream = Readable.from(
				Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, n) =>
					bytes.subarray(n * pieces, (n + 1) * pieces),
				),
			);
			expect(await readCsvStream(stream)).toEqual(given);
		}),
	);
});

test('a stream that breaks off is told', async () => {
	const broken = new Readable({
		read() {
			this.destroy(new Error('cut'));
		},
	});
	await expect(readCsvStream(broken)).rejects.toThrow('cut');
});

test('a byte order mark, missing cells and a last line break are forgiven', () => {
	expect(readCsv('\uFEFFname,waId\r\nNathan\r\n')).toEqual({
		columns: ['name', 'waId'],
		rows: [{ name: 'Nathan', waId: '' }],
	});
});

test('an empty file has no rows', async () => {
	expect(readCsv('')).toEqual({ columns: [], rows: [] });
	expect(await readCsvStream(Readable.from([]))).toEqual({ columns: [], rows: [] });
});
