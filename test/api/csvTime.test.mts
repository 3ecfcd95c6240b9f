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

/** How much longer it takes to read a file that is four times as long; measured again if the machine is busy. */
async function growth(text: (size: number) => string, enough: number): Promise<number> {
	const time = async (size: number) => {
		const given = text(size);
		const started = performance.now();
		await readCsv(piecesOf(given)).catch(() => undefined);
		return performance.now() - started;
	};
	await time(1);
	let least = Infinity;
	for (let round = 0; round < 8 && least >= enough; round++)
		least = Math.min(least, (await time(4)) / (await time(1)));
	return least;
}

// 4 is linear; quadratic would be 16.
test.each<[what: string, text: (size: number) => string]>([
	['100,000 rows', (size) => 'id,name\n' + '1234,"Smith, Nathan"\n'.repeat(25_000 * size)],
	['one cell', (size) => `a\n"${'x'.repeat(1_000_000 * size)}"\n`],
	['one cell of quotes', (size) => `a\n"${'""'.repeat(100_000 * size)}"\n`],
	['one cell of quotes and spaces', (size) => `a\n"${'" x'.repeat(100_000 * size)}"\n`],
	['one cell of line breaks', (size) => `a\n"${'\r\n'.repeat(250_000 * size)}"\n`],
	['a quote that is never closed', (size) => `a\n"${'b,c\n'.repeat(250_000 * size)}`],
	['one row of cells', (size) => `${'a,'.repeat(20_000 * size)}a\n1,2\n`],
	['one row of empty cells', (size) => `a\n${','.repeat(20_000 * size)}1\n`],
])('the time to read CSV grows in proportion to its length: %s', async (_what, text) => {
	expect(await growth(text, 9)).toBeLessThan(9);
});
