import { Readable } from 'node:stream';
import { readCsv } from '../../nodes/ConversationalMessaging/api/csv.ts';

/** Apart from the other tests of CSV, which mutation tests run for every fault. */

/** A text in pieces of 4 KB. */
function piecesOf(text: string): Readable {
	const bytes = Buffer.from(text);
	return Readable.from(
		Array.from({ length: Math.ceil(bytes.length / 4_096) }, (_, n) =>
			bytes.subarray(n * 4_096, (n + 1) * 4_096),
		),
	);
}

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
		await readCsv(piecesOf(given)).catch(() => undefined);
	} finally {
		Object.defineProperties(String.prototype, original.text);
		Object.defineProperties(Set.prototype, original.set);
	}
	return work;
}

// 4 is linear, and a little more if a row is scanned again when its text has doubled. Quadratic would be 16.
test.each<[what: string, text: (size: number) => string]>([
	['10,000 rows', (size) => 'id,name\n' + '1234,"Smith, Nathan"\n'.repeat(2_500 * size)],
	['one cell', (size) => `a\n"${'x'.repeat(100_000 * size)}"\n`],
	['one cell of quotes', (size) => `a\n"${'""'.repeat(10_000 * size)}"\n`],
	['one cell of quotes and spaces', (size) => `a\n"${'" x'.repeat(10_000 * size)}"\n`],
	['one cell of line breaks', (size) => `a\n"${'\r\n'.repeat(25_000 * size)}"\n`],
	['a quote that is never closed', (size) => `a\n"${'b,c\n'.repeat(25_000 * size)}`],
	['one row of cells', (size) => `${'a,'.repeat(4_000 * size)}a\n1,2\n`],
	['one row of empty cells', (size) => `a\n${','.repeat(20_000 * size)}1\n`],
])('the work of reading CSV grows in proportion to its length: %s', async (_what, text) => {
	const [one, four] = [await workOf(text(1)), await workOf(text(4))];
	expect(one).toBeGreaterThan(text(1).length / 4);
	expect(four / one).toBeLessThan(6);
});
