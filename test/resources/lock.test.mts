import { withLock } from '../../nodes/ConversationalMessaging/resources/shared/lock.ts';

/** Work that ends when told to, and what it has done. */
function work(name: string, log: string[]) {
	let end: (error?: Error) => void = () => undefined;
	const ended = new Promise<string>((resolve, reject) => {
		end = (error) => (error ? reject(error) : resolve(name));
	});
	const run = async () => {
		log.push(`${name} begins`);
		return await ended.finally(() => log.push(`${name} ends`));
	};
	return { run, end: (error?: Error) => end(error) };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test('work with the same key waits for the work before it; other work does not', async () => {
	const log: string[] = [];
	const [a, b, c, other] = ['a', 'b', 'c', 'other'].map((name) => work(name, log));
	const results = Promise.all([
		withLock('key', a!.run),
		withLock('key', b!.run),
		withLock('another key', other!.run),
		withLock('key', c!.run),
	]);
	await settled();
	expect(log).toStrictEqual(['a begins', 'other begins']);
	for (const each of [a, b, c, other]) {
		each!.end();
		await settled();
	}
	expect(await results).toStrictEqual(['a', 'b', 'other', 'c']);
	expect(log.filter((line) => !line.startsWith('other'))).toStrictEqual([
		'a begins',
		'a ends',
		'b begins',
		'b ends',
		'c begins',
		'c ends',
	]);
});

test('work that fails is reported to its caller, and the next one runs', async () => {
	const log: string[] = [];
	const [a, b] = [work('a', log), work('b', log)];
	const first = withLock('key', a.run);
	const second = withLock('key', b.run);
	a.end(new Error('full'));
	await expect(first).rejects.toThrow('full');
	b.end();
	expect(await second).toBe('b');
});

test('work that comes when the first of two has ended waits for the second', async () => {
	const log: string[] = [];
	const [a, b, c] = [work('a', log), work('b', log), work('c', log)];
	const first = withLock('key', a.run);
	const second = withLock('key', b.run);
	a.end();
	await first;
	await settled();
	const third = withLock('key', c.run);
	await settled();
	expect(log).toStrictEqual(['a begins', 'a ends', 'b begins']);
	b.end();
	await second;
	c.end();
	expect(await third).toBe('c');
});
