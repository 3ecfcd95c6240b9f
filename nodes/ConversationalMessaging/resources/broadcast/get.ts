import { broadcastParameter } from '../../descriptions/records';
import { maxWaitMs, waitOptions } from '../../descriptions/wait';
import { planned } from '../../runner/operation';
import { waitForCompletion } from '../../runner/waitForCompletion';
import { BROADCAST_JOB } from './job';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get broadcast',
	description: 'Get a broadcast with its delivery statistics, now or once it has ended',
	endpoint: 'GET /broadcasts/{id}',
	fields: [broadcastParameter.field, waitOptions],
	prepare: (parameters) => ({
		path: broadcastParameter.path(parameters),
		maxMs: maxWaitMs(parameters.collection('options')),
	}),
	run: async (context, { path, maxMs }) => {
		if (maxMs === undefined) return context.outputOf(await context.send({ path }));
		return (await waitForCompletion(context, BROADCAST_JOB, path.id, maxMs)).outputs;
	},
});
