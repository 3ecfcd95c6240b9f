import { Workload } from '../../sandbox/workload.mts';

test.each([
	[Infinity, [50, 50, 50, 50, 50], 5],
	[1, [50, 100, 150, 200, 250], 5],
	[2, [50, 50, 100, 100, 150], 5],
	[4, [50, 50, 50, 50, 100], 5],
])(
	'a service that works on %p requests at once is done with five after %p ms',
	(capacity, done, mostAtOnce) => {
		const workload = new Workload(capacity);
		expect(done.map(() => workload.msUntilDone(0, 50))).toStrictEqual(done);
		expect(workload.mostAtOnce).toBe(mostAtOnce);
	},
);

test('a request that comes after the others are done does not wait', () => {
	const workload = new Workload(1);
	expect([0, 10, 100].map((now) => workload.msUntilDone(now, 50))).toStrictEqual([50, 90, 50]);
	expect(workload.mostAtOnce).toBe(2);
});
