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
	[0, []],
	[250, []],
	[251, [250]],
	[1_000, [250, 500, 750]],
])('between %i entries, n8n has its turns after %j', async (length, after) => {
	const seen: number[] = [];
	const turns: number[] = [];
	const turn = jest
		.spyOn(clock, 'yieldToOthers')
		.mockImplementation(async () => void turns.push(seen.length));
	for await (const entry of inTurns(Array.from({ length }, (_, n) => n))) seen.push(entry);
	turn.mockRestore();
	expect([seen.length, seen.at(-1)]).toStrictEqual([length, length === 0 ? undefined : length - 1]);
	expect(turns).toStrictEqual(after);
});
