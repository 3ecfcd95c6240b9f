import { importParameter } from '../../descriptions/records';
import { jobWait, waitOptions } from '../../descriptions/wait';
import { planned } from '../../runner/operation';
import { readJob, waitForEnd } from '../../runner/backgroundJob';
import { IMPORT_JOB } from './importJob';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get contact import',
	description: 'Get the status and counters of an import job, now or once it has ended',
	endpoint: 'GET /contacts/imports/{id}',
	fields: [importParameter.field, waitOptions],
	prepare: (parameters) => ({
		id: importParameter.id(parameters),
		wait: jobWait(parameters.collection('options')),
	}),
	run: async (context, { id, wait }) => await readJob(context, IMPORT_JOB, id, wait),
	wait: async (context, _plan, found) => (await waitForEnd(context, found)).outputs,
});
