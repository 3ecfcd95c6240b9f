import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import { multipart } from '../../api/files/multipart';
import type { ServiceResponse } from '../../api/response/response';
import { shownMoment } from '../../parameters/dateTime';
import { withoutUndefined } from '../../parameters/values';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Sent } from '../../runner/output';
import { type AwaitedJob, createdJob, waitForEnd } from '../../runner/backgroundJob';
import { templateErrorHint } from '../../template/list';
import { sendOnce } from '../shared/sendOnce';
import { sentOutputs } from '../shared/sentOutputs';
import type { Audience } from './audience/audience';
import { type Broadcast, completeBroadcast } from './complete';
import { broadcastFields } from './fields';
import { BROADCAST_JOB } from './get';
import { type BroadcastPlan, batchOf, readPlan } from './plan';
import { type Start, broadcastStart } from './start';

/** Whoever builds a workflow clicks Execute step to see what happens. */
const SENDS_NOTICE: INodeProperties = {
	displayName:
		'<b>Execute step</b> sends the broadcast to everybody in the audience. To see first what it sends, and to whom, set Operation to <b>Preview</b>.',
	name: 'sendsNotice',
	type: 'notice',
	default: '',
};

export const create = planned<BroadcastPlan, unknown, AwaitedJob>({
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description:
		'Send an approved template to many contacts, now or at a set time. It cannot be canceled from n8n.',
	builderHint:
		'Each run sends again, unless sendOnceKey is set, and nothing can be taken back. Put preview with the same fields before it, and continue only if ready is true. The audiences items and csvItems make one broadcast of all input items; the others make one per item.',
	endpoint: 'POST /broadcasts',
	otherEndpoints: [
		'GET /broadcasts/{id}',
		'GET /broadcasts/csv-template',
		'GET /segments/{id}',
		'GET /templates',
	],
	errorHint: templateErrorHint,
	fields: [SENDS_NOTICE, ...broadcastFields],
	prepare: readPlan,
	batch: batchOf,
	run: async (context, plan, inputs) =>
		await sendOnce(
			context,
			'broadcast',
			plan.onceKey,
			async () => await createBroadcast(context, plan, inputs),
		),
	wait: async (context, _plan, job) => (await waitForEnd(context, job)).outputs,
});

async function createBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: unknown[],
): Promise<Sent<AwaitedJob>> {
	const chosen: [unknown, ...unknown[]] = [plan.audience, ...inputs.slice(1)];
	const broadcast = await completeBroadcast(context, plan, chosen);
	const startNow = () => broadcastStart(plan, clock.now());
	const { response, start } = await sendBroadcast(context, broadcast, startNow);
	const outputs = sentOutputs(context, 'broadcast', response);
	// Only now: nothing was left out if the service rejected the broadcast.
	const guards = guardsOutput(plan, broadcast.audience, start);
	for (const note of guards.notes) context.notify(shown`${note}`);
	return {
		outputs,
		kept: plan.guards.any ? { guards } : undefined,
		pending: createdJob(BROADCAST_JOB, response, plan.wait),
	};
}

/** Quiet hours may begin while the request waits for the rate limit, so each attempt has its own start. */
async function sendBroadcast(
	context: OperationContext,
	{ body, upload }: Broadcast,
	startNow: () => Start,
): Promise<{ response: ServiceResponse; start: Start }> {
	let start = startNow();
	const bodyNow = () => {
		start = startNow();
		const { scheduleType, sendAt } = start;
		return withoutUndefined({ ...body, scheduleType, sendAt });
	};
	const response = upload
		? await context.send({ upload: multipart({ ...upload, fields: () => asText(bodyNow()) }) })
		: await context.send({ body: bodyNow });
	return { response, start };
}

/** Form fields of a multipart body: text unchanged, everything else as JSON. */
function asText(body: IDataObject): Record<string, string> {
	const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
	return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, text(value)]));
}

const guardsOutput = ({ timeZone }: BroadcastPlan, audience: Audience, start: Start) => ({
	recipients: audience.count ?? null,
	leftOut: audience.leftOut,
	...(start.postponedFrom !== undefined && { startsAt: shownMoment(start.ms, timeZone).iso }),
	notes: [...audience.notes, ...start.notes],
});
