import type { INodeProperties } from 'n8n-workflow';
import { channelTypeOptions } from '../../descriptions/channelType';
import { textOf } from '../../api/base/text';
import { filterFields } from '../../descriptions/collections';
import { pagingFields } from '../../descriptions/paging';
import { agentField, channelField, contactField } from '../../descriptions/records';
import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { readVariants } from '../shared/numberVariants';

const fields: INodeProperties[] = [
	...pagingFields,
	...filterFields([
		agentField('Only chats assigned to this agent'),
		channelField('Only chats on this channel'),
		{
			displayName: 'Channel Type',
			name: 'channel',
			type: 'options',
			options: channelTypeOptions,
			default: 'WHATSAPP',
			description: 'Only chats on this type of channel',
		},
		contactField({
			description: 'Only chats with this contact. With By ID, enter the contact ID.',
		}),
		{
			displayName: 'Needs Escalation',
			name: 'needsEscalation',
			type: 'boolean',
			default: true,
			description:
				'Whether to return only escalated chats. If off, only chats that are not escalated are returned.',
		},
		{
			displayName: 'WhatsApp ID',
			name: 'waId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 12025550143',
			description: 'Only chats with the contact who has this phone number or WhatsApp user ID',
		},
	]),
];

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many chats',
	description: 'Get chats, optionally by contact, channel, agent or escalation',
	endpoint: 'GET /chats',
	fields,
	result: 'pages',
	rowsName: 'chats',
	pageSize: 100,
	request(parameters) {
		const filters = parameters.filters();
		return {
			query: withoutUndefined({
				waId: filters.whatsAppId('waId'),
				contactId: filters.id('contactId'),
				channelId: filters.id('channelId'),
				channel: filters.option('channel'),
				needsEscalation: filters.boolean('needsEscalation'),
				assigneeId: filters.id('agentId'),
			}),
		};
	},
	readLists: async ({ query }, read, rowLimit) =>
		await readVariants(
			textOf(query?.waId),
			rowLimit,
			async (waId) => await read({ query: withoutUndefined({ ...query, waId }) }),
		),
};
