import { optionsCollection } from '../../descriptions/collections';
import { pagingFields } from '../../descriptions/paging';
import { chatParameter } from '../../descriptions/records';
import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { chatErrorHint } from './fields';

export const getMessages: Operation = {
	name: 'Get Messages',
	value: 'getMessages',
	action: 'Get messages of chat',
	description: 'Get the messages of a chat, newest first',
	endpoint: 'GET /chats/{id}/messages',
	fields: [
		chatParameter.field,
		...pagingFields,
		optionsCollection([
			{
				displayName: 'Before Message ID',
				name: 'cursor',
				type: 'string',
				default: '',
				description: 'Only messages older than this one',
			},
		]),
	],
	result: 'history',
	rowsName: 'messages',
	pageSize: 100,
	request: (parameters) => ({
		path: chatParameter.path(parameters),
		query: withoutUndefined({ cursor: parameters.collection('options').id('cursor') }),
	}),
	errorHint: chatErrorHint,
};
