import { NodeApiError } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { readUntilFound } from '../../nodes/ConversationalMessaging/runner/readUntilFound.ts';
import { NODE } from '../support/node.mts';
import { clientWith } from '../support/service.mts';
import { useFakeTime } from '../support/time.mts';

const MINUTE = 60_000;

const time = useFakeTime();

const rejection = (httpCode: string) => new NodeApiError(NODE, {}, { httpCode });

/** @param results of each read, in order; errors are thrown; the last one stays */
function reading(results: unknown[]) {
	const context = new OperationContext(
		clientWith({}),
		{
			endpoint: 'GET /broadcasts/{id}',
			action: 'Get broadcast',
		},
		() => undefined,
	);
	let reads = 0;
	const read = async () => {
		const result = results[Math.min(reads, results.length - 1)];
		reads++;
		if (result instanceof Error) throw result;
		return result;
	};
	return { context, read, reads: () => reads };
}

test.each<[minutes: number, pauses: number[]]>([
	[0, [0]],
	[0.1, [2_000, 3_000, 1_000]],
	[3, [2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000, 30_000, 25_656.25]],
])('in %d minutes, it reads after each of the pauses %j', async (minutes, pauses) => {
	const { context, read, reads } = reading([undefined]);
	expect(await readUntilFound(context, minutes * MINUTE, read)).toEqual({});
	expect([time.waits, reads()]).toStrictEqual([pauses, pauses.length]);
});

test('it returns the last rejection, if the last read has no other result', async () => {
	const last = rejection('503');
	const rejected = reading([undefined, last]);
	expect(await readUntilFound(rejected.context, MINUTE, rejected.read)).toStrictEqual({
		lastError: last,
	});
	const read = reading([last, undefined]);
	expect(await readUntilFound(read.context, MINUTE, read.read)).toEqual({});
});

test('it throws everything that is no rejection', async () => {
	const { context, read } = reading([new TypeError('broken')]);
	await expect(readUntilFound(context, MINUTE, read)).rejects.toThrow(TypeError);
});

test.each([-1, 1])('it waits as long if the clock jumps by %d day', async (days) => {
	const { context, read } = reading([undefined]);
	const { now } = clock;
	await readUntilFound(context, 6_000, async () => {
		clock.now = () => now() + days * 86_400_000;
		return await read();
	});
	expect(time.waits).toStrictEqual([2_000, 3_000, 1_000]);
});
