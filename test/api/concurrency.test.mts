import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import {
	forEachConcurrent,
	inTurns,
} from '../../nodes/ConversationalMessaging/api/base/concurrency.ts';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

test('a list is processed three entries at a time, in order, each once with its index', async () => {
	let now = 0;
	let most = 0;
	const done: unknown[] = [];
	await forEachConcurrent(['a', 'b', 'c', 'd', 'e'], 3, async (...call) => {
		most = Math.max(most, ++now);
		await tick();
		done.push(call);
		now--;
	});
	expect(most).toBe(3);
	expect(done).toStrictEqual([
		['a', 0],
		['b', 1],
		['c', 2],
		['d', 3],
		['e', 4],
	]);
});

test('after a worker throws, no entry is started, and the error of the first entry in the list is thrown', async () => {
	const begun: number[] = [];
	const run = forEachConcurrent([1, 2, 3, 4, 5, 6], 2, async (entry) => {
		begun.push(entry);
		await tick();
		if (entry === 1) await tick();
		if (entry <= 2) throw new Error(`entry ${entry}`);
	});
	await expect(run).rejects.toThrow('entry 1');
	expect(begun).toStrictEqual([1, 2]);
});

test('the limit is asked for again whenever an action has ended', async () => {
	let limit = 1;
	const running: number[] = [];
	let now = 0;
	await forEachConcurrent(
		[1, 2, 3, 4, 5],
		() => limit,
		async () => {
			running.push(++now);
			await tick();
			limit = 2;
			now--;
		},
	);
	expect(running).toStrictEqual([1, 1, 2, 2, 2]);
});

test('an empty list resolves at once', async () => {
	await expect(forEachConcurrent([], 4, async () => undefined)).resolves.toBeUndefined();
});

test.each([
	['nothing', 0, 10, []],
	['too little work', 10, 0.9, []],
	['a list of light entries', 45, 0.5, [20, 40]],
	['a list of heavy entries', 4, 25, [1, 2, 3]],
])('between the entries of %s, n8n has a turn after 10 ms', async (_what, length, ms, after) => {
	let now = 1_000;
	const elapsed = jest.spyOn(clock, 'elapsed').mockImplementation(() => now);
	const seen: number[] = [];
	const turns: number[] = [];
	const turn = jest.spyOn(clock, 'yieldToOthers').mockImplementation(async () => {
		turns.push(seen.length);
		// What the others take is no work of the list.
		now += 9;
	});
	for await (const entry of inTurns(Array.from({ length }, (_, n) => n))) {
		seen.push(entry);
		now += ms;
	}
	turn.mockRestore();
	elapsed.mockRestore();
	expect(seen).toStrictEqual(Array.from({ length }, (_, n) => n));
	expect(turns).toStrictEqual(after);
});
