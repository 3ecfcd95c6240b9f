import { forEachConcurrent } from '../../nodes/ConversationalMessaging/api/concurrency.ts';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

test('three workers process a list three entries at a time, in order', async () => {
	let now = 0;
	let most = 0;
	const done: number[] = [];
	await forEachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async (entry) => {
		most = Math.max(most, ++now);
		await tick();
		done.push(entry);
		now--;
	});
	expect(most).toBe(3);
	expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
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
	expect(begun).toEqual([1, 2]);
});

test('the limit is asked for again whenever an action has ended', async () => {
	let limit = 1;
	const running: number[] = [];
	const done: number[] = [];
	let now = 0;
	await forEachConcurrent(
		[1, 2, 3, 4, 5],
		() => limit,
		async (entry) => {
			running.push(++now);
			await tick();
			limit = 2;
			done.push(entry);
			now--;
		},
	);
	expect(running).toEqual([1, 1, 2, 2, 2]);
	expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('with room for more than the list has, each entry is processed once, with its index', async () => {
	const calls: unknown[] = [];
	await forEachConcurrent(['a', 'b'], 5, async (...call) => {
		calls.push(call);
	});
	expect(calls).toEqual([
		['a', 0],
		['b', 1],
	]);
});

test('an empty list resolves at once', async () => {
	await expect(forEachConcurrent([], 4, async () => undefined)).resolves.toBeUndefined();
});
