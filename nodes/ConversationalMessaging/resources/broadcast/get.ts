import { broadcastParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { type BackgroundJob, jobReading } from '../../runner/backgroundJob';

export const BROADCAST_JOB: BackgroundJob = { noun: 'broadcast', endpoint: 'GET /broadcasts/{id}' };

export const get = planned({
	name: 'Get',
	value: 'get',
	action: 'Get broadcast',
	description: 'Get a broadcast with its delivery statistics, now or once it has ended',
	...jobReading(BROADCAST_JOB, broadcastParameter),
});
