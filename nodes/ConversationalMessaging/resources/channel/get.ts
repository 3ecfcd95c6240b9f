import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get channel',
	description: 'Get a channel with its chat, message and broadcast totals',
	endpoint: 'GET /channels/{id}',
	fields: [channelField('The channel, e.g. one of your WhatsApp numbers', true)],
	result: 'record',
	request: (parameters) => ({ path: { id: parameters.id('channelId', 'required') } }),
};
