import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import {
	waitForCompletion,
	waitForCreated,
	type BackgroundJob,
} from '../../nodes/ConversationalMessaging/runner/waitForCompletion.ts';
import { serviceOf } from '../api/service.mts';
import { FakeTime } from '../time.mts';

const IMPORT: BackgroundJob = {
	noun: 'contact import',
	endpoint: 'GET /contacts/imports/{id}',
};
const MINUTE = 60_000;

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

/**
 * A job whose states are read one after the other; the last one stays.
 *
 * @param states its JSON, or the status of a rejection
 */
function jobWith(states: unknown[], signal?: AbortSignal) {
	const service = serviceOf((_query, request) => states[request - 1] ?? states.at(-1), { signal });
	const context = new OperationContext(service.client, {
		endpoint: 'POST /contacts/import',
		action: 'Start import',
	});
	return { ...service, context };
}

const state = (status: string, more = {}) => ({ data: { id: 'i1', status, ...more } });
const created = (data: object) => parseResponse(201, {}, JSON.stringify({ data }));

describe('the pauses between two readings of a job', () => {
	const MINUTES: [minutes: number, pauses: number[]][] = [
		[0, []],
		[1 / 60, [1_000]],
		[0.1, [2_000, 3_000, 1_000]],
		[1, [2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 18_437.5]],
		[
			3,
			[2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000, 30_000, 25_656.25],
		],
	];
	test.each(MINUTES)(
		'grow by half, up to half a minute, and the last one ends after %d minutes',
		async (minutes, pauses) => {
			const { context, queries } = jobWith([state('queued')]);
			const { ended } = await waitForCompletion(context, IMPORT, 'i1', minutes * MINUTE);
			expect(time.waits).toEqual(pauses);
			expect(queries).toHaveLength(pauses.length + 1);
			expect(ended).toBe(false);
		},
	);

	test('end with the job', async () => {
		const { context, notices } = jobWith([state('queued'), state('processing'), state('failed')]);
		expect(await waitForCompletion(context, IMPORT, 'i1', MINUTE)).toEqual({
			outputs: [
				{ json: { id: 'i1', status: 'failed', waitResult: { ended: true, status: 'failed' } } },
			],
			ended: true,
			id: 'i1',
		});
		expect(time.waits).toEqual([2_000, 3_000]);
		expect(notices).toEqual([]);
	});
});

describe('the time of a wait runs out', () => {
	test.each([
		[state('queued'), 1, 'Stopped waiting after 1 minute; the status is still queued.'],
		[state('queued'), 0.5, 'Stopped waiting after 0.5 minutes; the status is still queued.'],
		[state('queued'), 1.26, 'Stopped waiting after 1.3 minutes; the status is still queued.'],
		[
			state('stage-2'),
			2,
			'Stopped waiting after 2 minutes; the status stage-2 does not show whether the contact import has ended.',
		],
		[
			{ data: { id: 'i1', finishedAt: null } },
			2,
			'Stopped waiting after 2 minutes; the service does not show that the contact import has ended.',
		],
	])('%j after %d minutes: %s', async (json, minutes, message) => {
		const { context, notices } = jobWith([json]);
		const reason = `${message} To wait longer, raise Max Wait; to check later, use Get`;
		const { outputs, ended, id } = await waitForCompletion(context, IMPORT, 'i1', minutes * MINUTE);
		expect([ended, id]).toEqual([false, 'i1']);
		expect(outputs[0]!.json.waitResult).toEqual({
			ended: false,
			reason,
			...('status' in json.data && { status: json.data.status }),
		});
		expect(notices).toEqual([reason]);
	});
});

describe('a job without a clear status', () => {
	const counters = (processed: number) => ({ data: { id: 'i1', total: 9, processed } });

	test.each<[string, states: unknown[], readings: number]>([
		['it has an end time', [{ data: { id: 'i1', endedAt: '2026-01-15T09:00:00Z' } }], 1],
		['its flag is set', [state('stage-2', { done: false }), state('stage-3', { done: true })], 2],
		['its counters are complete and stay', [counters(3), counters(9), counters(9)], 3],
		[
			'its counters are complete and its other fields stay',
			[
				state('x', { total: 9, processed: 9, failed: 0 }),
				state('x', { total: 9, processed: 9, failed: 1 }),
			],
			3,
		],
	])('has ended when %s', async (_when, states, readings) => {
		const { context, queries } = jobWith(states);
		expect((await waitForCompletion(context, IMPORT, 'i1', MINUTE)).ended).toBe(true);
		expect(queries).toHaveLength(readings);
	});

	test('is not waited for if nothing can show its end', async () => {
		const { context, notices, queries } = jobWith([{ data: { id: 'i1', name: 'x' } }]);
		const { outputs, ended, id } = await waitForCompletion(context, IMPORT, 'i1', MINUTE);
		const reason =
			'The service returns no status for the contact import, so it is unknown whether it has ended. Check it in the dashboard';
		expect([ended, id]).toEqual([false, 'i1']);
		expect(outputs).toEqual([
			{ json: { id: 'i1', name: 'x', waitResult: { ended: false, reason } } },
		]);
		expect(notices).toEqual([reason]);
		expect(queries).toHaveLength(1);
	});

	test('that was created with complete counters is read twice', async () => {
		const { context, queries } = jobWith([counters(9)]);
		const response = created({ id: 'i1', total: 9, processed: 9 });
		expect((await waitForCreated(context, IMPORT, response, MINUTE)).ended).toBe(true);
		expect(queries).toHaveLength(2);
	});
});

describe('a job that cannot be read', () => {
	test.each([
		[404, 'The service rejected "Get contact import" (404 Not Found)'],
		[403, 'The service rejected "Get contact import" (403 Forbidden)'],
		[503, 'The service did not complete "Get contact import" (503 Service Unavailable)'],
	])('ends the wait with %d, after it was created, without a failure', async (status, message) => {
		const { context, notices } = jobWith([status]);
		const wait = await waitForCreated(
			context,
			IMPORT,
			created({ id: 'i1', status: 'queued' }),
			MINUTE,
		);
		const reason = `The contact import i1 was created, but its progress could not be tracked. ${message}. Do not repeat it; check it later with Get`;
		expect(wait).toEqual({
			outputs: [
				{
					json: {
						id: 'i1',
						status: 'queued',
						waitResult: { ended: false, status: 'queued', reason },
					},
				},
			],
			ended: false,
			id: 'i1',
		});
		expect(notices).toEqual([reason]);
	});

	test('ends the wait after it was found, with the next step of the rejection', async () => {
		const { context, notices } = jobWith([state('processing'), 404]);
		const { outputs, ended } = await waitForCompletion(context, IMPORT, 'i1', MINUTE);
		expect(ended).toBe(false);
		expect(outputs[0]!.json).toMatchObject({ status: 'processing' });
		expect(notices).toEqual([
			'The contact import i1 was found, but its progress could not be tracked. The service rejected "Get contact import" (404 Not Found). Check that the record exists, that its ID is complete, and that it belongs to the token’s organization.',
		]);
	});

	test('is a failure if it was not read before', async () => {
		const { context } = jobWith([404]);
		await expect(waitForCompletion(context, IMPORT, 'i1', MINUTE)).rejects.toBeInstanceOf(
			NodeApiError,
		);
	});
});

describe('a wait that is stopped by the user', () => {
	test('fails, although the job was created', async () => {
		const stop = new AbortController();
		const { context, queries } = jobWith([state('queued')], stop.signal);
		clock.sleep = async (ms) => {
			time.waits.push(ms);
			if (time.waits.length === 2) stop.abort();
		};
		const wait = waitForCreated(context, IMPORT, created({ id: 'i1' }), MINUTE);
		await expect(wait).rejects.toThrow(NodeOperationError);
		await expect(wait).rejects.toThrow('The execution was canceled');
		expect(queries).toHaveLength(2);
	});

	test('fails while the job is read, although it was created', async () => {
		const stop = new AbortController();
		const service = serviceOf(
			() => {
				stop.abort();
				return state('queued');
			},
			{ signal: stop.signal },
		);
		const context = new OperationContext(service.client, {
			endpoint: 'POST /contacts/import',
			action: 'Start import',
		});
		await expect(
			waitForCreated(context, IMPORT, created({ id: 'i1' }), MINUTE),
		).rejects.toBeInstanceOf(NodeOperationError);
	});
});

test('a job that was created without an ID is not waited for', async () => {
	const { context, notices, queries } = jobWith([]);
	const wait = await waitForCreated(context, IMPORT, created({ status: 'queued' }), MINUTE);
	const reason =
		'The service accepted the contact import, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many';
	expect(wait).toEqual({
		outputs: [
			{ json: { status: 'queued', waitResult: { ended: false, status: 'queued', reason } } },
		],
		ended: false,
	});
	expect(wait.id).toBeUndefined();
	expect(notices).toEqual([reason]);
	expect(queries).toEqual([]);
});

test('a created job is waited for by its ID', async () => {
	const { context, queries } = jobWith([state('queued'), state('done')]);
	const wait = await waitForCreated(context, IMPORT, created({ import: { id: 'i1' } }), MINUTE);
	expect([wait.ended, wait.id]).toEqual([true, 'i1']);
	expect(queries).toHaveLength(2);
});
