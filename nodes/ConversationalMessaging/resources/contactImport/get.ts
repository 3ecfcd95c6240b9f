import { importParameter } from '../../descriptions/records';
import { maxWaitMs, waitOptions } from '../../descriptions/wait';
import { planned } from '../../runner/operation';
import { waitForCompletion } from '../../runner/waitForCompletion';
import { IMPORT_JOB } from './importJob';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get contact import',
	description: 'Get the status and counters of an import job, now or once it has ended',
	endpoint: 'GET /contacts/imports/{id}',
	fields: [importParameter.field, waitOptions],
	prepare: (parameters) => ({
		path: importParameter.path(parameters),
		maxMs: maxWaitMs(parameters.collection('options')),
	}),
	run: async (context, { path, maxMs }) => {
		if (maxMs === undefined) return context.outputOf(await context.send({ path }));
		return (await waitForCompletion(context, IMPORT_JOB, path.id, maxMs)).outputs;
	},
});
