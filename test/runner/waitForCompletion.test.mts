import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import { parseResponse } from '../../nodes/ConversationalMessaging/api/response.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import {
	readJob,
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
	const { endpoint } = IMPORT;
	const context = new OperationContext(service.client, { endpoint, action: 'Get contact import' });
	return { ...service, context };
}

/** The job that is read by its ID, after the wait. */
async function readFor(context: OperationContext, minutes: number) {
	const result = await readJob(context, IMPORT, 'i1', minutes * MINUTE);
	const [output] = 'wait' in result ? await result.wait() : result;
	return output!;
}

const state = (status: string, more = {}) => ({ data: { id: 'i1', status, ...more } });
const created = (data: object) => parseResponse(201, {}, JSON.stringify({ data }));

test('a job that is not waited for is returned as it is', async () => {
	const { context } = jobWith([state('queued')]);
	expect(await readJob(context, IMPORT, 'i1', undefined)).toEqual([
		{ json: { id: 'i1', status: 'queued' } },
	]);
});

test('a job that is found is read at once, and then until it has ended', async () => {
	const { context, notices } = jobWith([state('queued'), state('processing'), state('failed')]);
	expect(await readFor(context, 1)).toEqual({
		json: { id: 'i1', status: 'failed' },
		own: { waitResult: { ended: true, status: 'failed' } },
	});
	expect(time.waits).toEqual([2_000, 3_000]);
	expect(notices).toEqual([]);
});

describe('the time of a wait runs out', () => {
	const NEXT =
		'It continues in the service. Check it later with Get, or follow it with the trigger';

	test.each([
		[
			state('queued'),
			1,
			`The contact import did not finish within 1 minute; its status is still queued. ${NEXT}`,
		],
		[
			state('queued'),
			0.5,
			`The contact import did not finish within 0.5 minutes; its status is still queued. ${NEXT}`,
		],
		[
			state('queued'),
			1.26,
			`The contact import did not finish within 1.3 minutes; its status is still queued. ${NEXT}`,
		],
		[
			state('stage-2'),
			2,
			'After 2 minutes, it is unclear whether the contact import has ended: the status stage-2 is unknown. Check it later with Get, or in the dashboard',
		],
		[
			{ data: { id: 'i1', finishedAt: null } },
			2,
			'After 2 minutes, it is unclear whether the contact import has ended: the service returns no status. Check it later with Get, or in the dashboard',
		],
	])('%j after %d minutes: %s', async (json, minutes, reason) => {
		const { context, notices } = jobWith([json]);
		expect((await readFor(context, minutes)).own!.waitResult).toEqual({
			ended: false,
			reason,
			...('status' in json.data && { status: json.data.status }),
		});
		expect(notices).toEqual([reason]);
	});
});

test.each([
	{ data: { id: 'i1', name: 'x' } },
	// Only the status counts: of other fields, nobody knows whether they are final.
	{ data: { id: 'i1', endedAt: '2026-01-15T09:00:00Z', done: true, total: 9, processed: 9 } },
])('a job without a clear status is read until it has one: %j', async (unclear) => {
	const { context } = jobWith([unclear, state('stage-2'), state('completed')]);
	expect((await readFor(context, 1)).own!.waitResult).toEqual({
		ended: true,
		status: 'completed',
	});
});

describe('a job that cannot be read', () => {
	test.each([403, 404, 503])('with %d is read again until it can be read', async (status) => {
		const { context, notices } = jobWith([...Array<number>(9).fill(status), state('completed')]);
		const response = created({ id: 'i1', status: 'queued' });
		expect((await waitForCreated(context, IMPORT, response, 5 * MINUTE)).ended).toBe(true);
		expect(notices).toEqual([]);
	});

	test.each([
		[404, 'The service rejected "Get contact import" (404 Not Found)'],
		[503, 'The service did not complete "Get contact import" (503 Service Unavailable)'],
	])('with %d until the deadline is returned as it was created', async (status, message) => {
		const { context, notices } = jobWith([status]);
		const response = created({ id: 'i1', status: 'queued' });
		const wait = await waitForCreated(context, IMPORT, response, MINUTE);
		const reason = `The contact import i1 was created, but could not be read at the end of the wait of 1 minute: ${message}. Do not repeat it; check it later with Get`;
		const waitResult = { ended: false, status: 'queued', reason };
		expect(wait).toEqual({
			outputs: [{ json: { id: 'i1', status: 'queued' }, own: { waitResult } }],
			ended: false,
			id: 'i1',
		});
		expect(notices).toEqual([reason]);
	});

	test('after it was found is returned as it was read', async () => {
		const { context, notices } = jobWith([state('processing'), 404]);
		expect((await readFor(context, 1)).json).toMatchObject({ status: 'processing' });
		expect(notices).toEqual([
			'The contact import i1 was found, but could not be read at the end of the wait of 1 minute: The service rejected "Get contact import" (404 Not Found). Check it later with Get',
		]);
	});

	test('at first, with an ID that was entered, is a failure at once', async () => {
		const { context } = jobWith([404]);
		await expect(readFor(context, 1)).rejects.toBeInstanceOf(NodeApiError);
		expect(time.waits).toEqual([]);
	});
});

test('a wait that is stopped by the user fails, although the job was created', async () => {
	const stop = new AbortController();
	const { context } = jobWith([state('queued')], stop.signal);
	clock.sleep = async () => stop.abort();
	const wait = waitForCreated(context, IMPORT, created({ id: 'i1' }), MINUTE);
	await expect(wait).rejects.toThrow(NodeOperationError);
	await expect(wait).rejects.toThrow('The execution was canceled');
});

test('a job that was created without an ID is not waited for', async () => {
	const { context, notices, queries } = jobWith([]);
	const wait = await waitForCreated(context, IMPORT, created({ status: 'queued' }), MINUTE);
	const reason =
		'The service accepted the contact import, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many';
	expect(wait).toEqual({
		outputs: [
			{
				json: { status: 'queued' },
				own: { waitResult: { ended: false, status: 'queued', reason } },
			},
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
