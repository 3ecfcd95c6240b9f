import fc from 'fast-check';
import { readCsv, writeCsv } from '../../nodes/ConversationalMessaging/api/csv.ts';

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
	fc.assert(fc.property(table, (given) => expect(readCsv(writeCsv(given))).toEqual(given)));
});

test('a byte order mark, missing cells and a last line break are forgiven', () => {
	expect(readCsv('\uFEFFname,waId\r\nNathan\r\n')).toEqual({
		columns: ['name', 'waId'],
		rows: [{ name: 'Nathan', waId: '' }],
	});
});

test('an empty file has no rows', () => {
	expect(readCsv('')).toEqual({ columns: [], rows: [] });
});
