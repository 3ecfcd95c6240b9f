import { pagingFields } from '../../descriptions/paging';
import { channelField } from '../../descriptions/records';
import type { Operation, Resource } from '../operation';

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get channel',
	description: 'Get a channel with its chat, message and broadcast totals',
	endpoint: 'GET /channels/{id}',
	fields: [channelField('The channel, e.g. one of your WhatsApp numbers', true)],
	result: 'record',
	request: (parameters) => ({ path: { id: parameters.requiredId('channelId') } }),
};

const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many channels',
	description: 'Get the channels of the organization',
	endpoint: 'GET /channels',
	fields: pagingFields,
	result: 'rows',
	rowsName: 'channels',
	request: () => ({}),
};

export const channel: Resource = { name: 'Channel', value: 'channel', operations: [get, getAll] };
