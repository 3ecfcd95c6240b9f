import { pagingFields } from '../../descriptions/paging';
import { withoutUndefined } from '../../parameters/values';
import { chatField } from '../../descriptions/records';
import type { Operation } from '../operation';

export const getMessages: Operation = {
	name: 'Get Messages',
	value: 'getMessages',
	action: 'Get messages of chat',
	description: 'Get the messages of a chat, newest first',
	endpoint: 'GET /chats/{id}/messages',
	fields: [
		chatField({ required: true }),
		...pagingFields,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Before Message ID',
					name: 'cursor',
					type: 'string',
					default: '',
					description: 'Only messages older than this one',
				},
			],
		},
	],
	result: 'history',
	rowsName: 'messages',
	pageSize: 100,
	request: (parameters) => ({
		path: { id: parameters.requiredId('chatId') },
		query: withoutUndefined({ cursor: parameters.collection('options').idIfSet('cursor') }),
	}),
};
