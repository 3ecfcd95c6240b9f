import { maxWaitMs } from '../../descriptions/wait';
import { throwRejection } from '../../parameters/chosenTemplate';
import type { Batch } from '../../runner/batch';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { waitForCreated } from '../../runner/waitForCompletion';
import type { BroadcastInput } from './batch';
import { checkBroadcast, ONE_BROADCAST } from './batch';
import { createFields } from './fields';
import { guardResult } from './guardResult';
import { BROADCAST_JOB } from './job';
import type { BroadcastPlan } from './plan';
import { readPlan } from './plan';
import { prepareBroadcast } from './prepareBroadcast';
import { sendBroadcast } from './sendBroadcast';

export const create = planned({
	name: 'Create',
	value: 'create',
	action: 'Create broadcast',
	description: 'Send an approved template to many contacts, now or at a scheduled time',
	endpoint: 'POST /broadcasts',
	otherEndpoints: [
		'GET /broadcasts/{id}',
		'GET /broadcasts/csv-template',
		'GET /segments/{id}',
		'GET /templates',
	],
	fields: createFields,
	prepare(parameters) {
		const options = parameters.collection('options');
		return {
			...readPlan(parameters, throwRejection),
			partName: options.text('partName') ?? 'file',
			maxWaitMs: maxWaitMs(options),
		};
	},
	batch: batchOf,
	run: createBroadcast,
});

interface CreatePlan extends BroadcastPlan {
	/** The multipart part of a CSV. */
	partName: string;
	/** How long to wait for its completion, in milliseconds; undefined for not at all. */
	maxWaitMs?: number;
}

/** All input items make one broadcast if each of them contributes recipients. */
function batchOf({ audience, sameForAll }: BroadcastPlan): Batch<BroadcastInput> | undefined {
	if (!('input' in audience)) return undefined;
	const input = { ...audience.input, settings: sameForAll };
	return { key: ONE_BROADCAST, input, check: checkBroadcast };
}

async function createBroadcast(
	context: OperationContext,
	{ partName, maxWaitMs: maxMs, ...plan }: CreatePlan,
	inputs: BroadcastInput[],
): Promise<Output[]> {
	const prepared = await prepareBroadcast(context, plan, inputs, {
		reject: throwRejection,
		forPreview: false,
	});
	const response = await sendBroadcast(context, prepared, partName);
	// Only now: nothing was left out if the service rejected the broadcast.
	const { changes, audience } = prepared;
	for (const text of plan.guards.any ? [...changes, ...audience.warnings] : changes)
		context.notify(text);
	const outputs =
		maxMs === undefined
			? context.outputOf(response)
			: (await waitForCreated(context, BROADCAST_JOB, response, maxMs)).outputs;
	if (!plan.guards.any) return outputs;
	return outputs.map((output) => ({
		...output,
		json: { ...output.json, guardResult: guardResult(prepared) },
	}));
}
