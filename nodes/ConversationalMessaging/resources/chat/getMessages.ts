import { choiceField, textField } from '../../descriptions/basicFields';
import { optionsCollection } from '../../descriptions/collections';
import { chatParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { transcriptOf } from './transcript';

export const getMessages: Operation = {
	name: 'Get Messages',
	value: 'getMessages',
	action: 'Get messages of chat',
	description: 'Get the messages of a chat, newest first, or as one text',
	endpoint: 'GET /chats/{id}/messages',
	builderHint:
		'To give an AI agent the history of a chat, also what colleagues wrote, set messageOutput to transcript and put the field transcript into the prompt.',
	of: chatParameter,
	fields: [
		choiceField('Output', 'messageOutput', {
			options: [
				{ name: 'Messages', value: 'messages', description: 'One item per message, newest first' },
				{
					name: 'Transcript',
					value: 'transcript',
					description:
						'One item with the conversation as text, oldest message first, e.g. for an AI agent',
				},
			],
			default: 'messages',
			description: 'How to return the messages',
		}),
		optionsCollection([
			textField('Before Message ID', 'cursor', {
				description:
					'Only messages older than the message with this ID, as Get Messages returns it',
			}),
		]),
	],
	result: 'list',
	combine(parameters) {
		if (parameters.option('messageOutput', 'required') === 'messages') return undefined;
		const timeZone = parameters.n8n.getTimezone();
		return (rows, notify) => [transcriptOf(rows, timeZone, notify)];
	},
	request: (parameters) => ({ query: { cursor: parameters.collection('options').id('cursor') } }),
};
