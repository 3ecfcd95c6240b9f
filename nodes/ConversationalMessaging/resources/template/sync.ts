import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const sync: Operation = {
	name: 'Sync',
	value: 'sync',
	action: 'Sync templates',
	description: 'Refresh templates and their approval status from the messaging platform',
	endpoint: 'POST /templates/sync',
	fields: [channelField('Sync only this channel')],
	result: 'record',
	orderingKey: () => 'sync',
	request: (parameters) => ({ body: { channelId: parameters.id('channelId') } }),
};
