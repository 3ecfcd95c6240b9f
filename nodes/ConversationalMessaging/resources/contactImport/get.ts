import { importParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { jobReading } from '../../runner/backgroundJob';
import { IMPORT_JOB } from './importJob';

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get contact import',
	description: 'Get the status and counters of an import job, now or once it has ended',
	...jobReading(IMPORT_JOB, importParameter),
});
