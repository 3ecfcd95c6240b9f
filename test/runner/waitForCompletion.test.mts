import { parseResponse } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import {
	createdJob,
	readJob,
	waitForEnd,
	type BackgroundJob,
} from '../../nodes/ConversationalMessaging/runner/waitForCompletion.ts';
import { serviceOf } from '../api/service.mts';
import { FakeTime } from '../support/time.mts';

const IMPORT: BackgroundJob = {
	noun: 'contact import',
	endpoint: 'GET /contacts/imports/{id}',
};
const waitOf = (minutes: number) => ({ maxMs: minutes * 60_000, requiresSuccess: false });

let time: FakeTime;
beforeEach(() => (time = new FakeTime().install()));
afterEach(() => time.restore());

/**
 * A job whose states are read one after the other; the last one stays.
 *
 * @param states its JSON, or the status of a rejection
 */
function jobWith(states: unknown[]) {
	const service = serviceOf((_query, request) => states[request - 1] ?? states.at(-1));
	const { endpoint } = IMPORT;
	const context = new OperationContext(service.client, { endpoint, action: 'Get contact import' });
	return { ...service, context };
}

/** The job that is read by its ID, after the wait. */
async function readFor(context: OperationContext, minutes: number) {
	const { outputs, pending } = await readJob(context, IMPORT, 'i1', waitOf(minutes));
	const [output] = pending ? (await waitForEnd(context, pending)).outputs : outputs;
	return output!;
}

const state = (status: string, more = {}) => ({ data: { id: 'i1', status, ...more } });
const created = (data: object) => parseResponse(201, {}, JSON.stringify({ data }));

test('a job that is found is read at once, and then until it has ended', async () => {
	const { context, notices } = jobWith([state('queued'), state('processing'), state('failed')]);
	expect(await readFor(context, 1)).toStrictEqual({
		json: { id: 'i1', status: 'failed' },
		addedFields: { waitResult: { ended: true, status: 'failed' }, succeeded: false },
	});
	expect(time.waits).toStrictEqual([2_000, 3_000]);
	expect(notices).toStrictEqual([]);
});

describe('the time of a wait runs out', () => {
	const NEXT =
		'It continues in the service. Check it later with Get, or follow it with the trigger';
	const CHECK = 'Check it later with Get, or in the dashboard';

	test.each([
		[
			state('queued'),
			1,
			`The contact import did not finish within 1 minute; its status is still queued. ${NEXT}`,
		],
		[
			state('queued'),
			1.26,
			`The contact import did not finish within 1.3 minutes; its status is still queued. ${NEXT}`,
		],
		[
			state('stage-2'),
			2,
			`After 2 minutes, it is unclear whether the contact import has ended: the status stage-2 is unknown. ${CHECK}`,
		],
		[
			{ data: { id: 'i1', finishedAt: null } },
			2,
			`After 2 minutes, it is unclear whether the contact import has ended: the service returns no status. ${CHECK}`,
		],
	])('%j after %d minutes: %s', async (json, minutes, reason) => {
		const { context, notices } = jobWith([json]);
		expect((await readFor(context, minutes)).addedFields!.waitResult).toStrictEqual({
			ended: false,
			reason,
			...('status' in json.data && { status: json.data.status }),
		});
		expect(notices).toStrictEqual([reason]);
	});
});

describe('a job that cannot be read', () => {
	test('until the deadline is returned as it was created', async () => {
		const { context, notices } = jobWith([404]);
		const response = created({ id: 'i1', status: 'queued' });
		const wait = await waitForEnd(context, createdJob(IMPORT, response, waitOf(1))!);
		const reason = `The contact import i1 was created, but could not be read at the end of the wait of 1 minute: The service rejected "Get contact import" (404 Not Found). Do not repeat it; check it later with Get`;
		const waitResult = { ended: false, status: 'queued', reason };
		expect(wait).toStrictEqual({
			outputs: [{ json: { id: 'i1', status: 'queued' }, addedFields: { waitResult } }],
			ended: false,
		});
		expect(notices).toStrictEqual([reason]);
	});

	test('after it was found is returned as it was read', async () => {
		const { context, notices } = jobWith([state('processing'), 404]);
		expect((await readFor(context, 1)).json).toMatchObject({ status: 'processing' });
		expect(notices).toStrictEqual([
			'The contact import i1 was found, but could not be read at the end of the wait of 1 minute: The service rejected "Get contact import" (404 Not Found). Check it later with Get',
		]);
	});
});
