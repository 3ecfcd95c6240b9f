import { broadcastParameter } from '../../descriptions/records';
import { jobWait, waitOptions } from '../../descriptions/wait';
import { planned } from '../../runner/operation';
import type { BackgroundJob } from '../../runner/backgroundJob';
import { readJob, waitForEnd } from '../../runner/backgroundJob';

/** A broadcast as a background job. */
export const BROADCAST_JOB: BackgroundJob = {
	noun: 'broadcast',
	endpoint: 'GET /broadcasts/{id}',
};

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get broadcast',
	description: 'Get a broadcast with its delivery statistics, now or once it has ended',
	endpoint: 'GET /broadcasts/{id}',
	fields: [broadcastParameter.field, waitOptions],
	prepare: (parameters) => ({
		id: broadcastParameter.id(parameters),
		wait: jobWait(parameters.collection('options')),
	}),
	run: async (context, { id, wait }) => await readJob(context, BROADCAST_JOB, id, wait),
	wait: async (context, _plan, found) => (await waitForEnd(context, found)).outputs,
});
