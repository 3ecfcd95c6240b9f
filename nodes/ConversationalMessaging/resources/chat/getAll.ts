import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { isAssigned, lastMessageOf } from '../../api/response/chat';
import { isRecord } from '../../api/response/response';
import { numberField, toggleField } from '../../descriptions/basicFields';
import { channelTypeField } from '../../descriptions/channelTypes';
import { textOf } from '../../api/base/text';
import { filterFields } from '../../descriptions/collections';
import { waIdField } from '../../descriptions/contactFields';
import { agentField, channelField, contactField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { type Output, toOutput } from '../../runner/output';
import { readVariants } from '../shared/numberVariants';

const fields: INodeProperties[] = filterFields([
	agentField('Only chats assigned to this agent'),
	channelField('Only chats on this channel'),
	channelTypeField('Only chats on this type of channel'),
	contactField({ description: 'Only chats with this contact. With By ID, enter the contact ID.' }),
	toggleField('Needs Escalation', 'needsEscalation', {
		description:
			'Whether to return only escalated chats. If off, only chats that are not escalated are returned.',
	}),
	toggleField('Unassigned', 'unassigned', {
		description:
			'Whether to return only chats without an agent. If off, only chats with one are returned. The service has no such filter, so the node reads all chats that match the others.',
	}),
	numberField('Waiting Since (Minutes)', 'waitingMinutes', {
		typeOptions: { minValue: 0 },
		default: 30,
		description:
			'Only chats in which the customer wrote last, this number of minutes ago or earlier. The service has no such filter, so the node reads all chats that match the others. Their list has to show the last message.',
	}),
	{
		...waIdField,
		description: 'Only chats with the contact who has this phone number or business-scoped user ID',
	},
]);

const shows = (chats: IDataObject[], isShown: (chat: IDataObject) => boolean): boolean =>
	chats.length === 0 || chats.some(isShown);

/** Adds when the last message was sent, and by whom, if the row shows that and has no such field. */
function withLastMessage({ json }: Output): Output {
	const { time, isInbound } = lastMessageOf(json);
	return {
		json: {
			...json,
			...(time !== undefined &&
				json.lastMessageAt === undefined && { lastMessageAt: new Date(time).toISOString() }),
			...(isInbound !== undefined &&
				json.lastMessageDirection === undefined && {
					lastMessageDirection: isInbound ? 'inbound' : 'outbound',
				}),
		},
	};
}

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many chats',
	description:
		'Get chats, optionally by contact, channel, agent, escalation, or how long the customer has waited',
	endpoint: 'GET /chats',
	fields,
	result: 'list',
	request(parameters) {
		const filters = parameters.filters();
		return {
			query: {
				waId: filters.whatsAppAddress('waId'),
				contactId: filters.contactId('contactId'),
				channelId: filters.listedId('channelId'),
				channel: filters.option('channel'),
				needsEscalation: filters.boolean('needsEscalation'),
				assigneeId: filters.listedId('agentId'),
			},
		};
	},
	keep(parameters) {
		const filters = parameters.filters();
		const unassigned = filters.boolean('unassigned');
		const minutes = filters.count('waitingMinutes');
		if (unassigned === undefined && minutes === undefined) return undefined;
		return (rows) => {
			const chats = rows.filter(isRecord);
			if (unassigned !== undefined && !shows(chats, (chat) => isAssigned(chat) !== undefined))
				throw parameters.invalid(
					'The list of chats does not show who chats are assigned to',
					'So the node cannot find chats without an agent. Do not remove the filter if the nodes after this one act on chats: they would act on all of them. Chat → Get may show the agent of each.',
				);
			const isClear = (chat: IDataObject): boolean =>
				Object.values(lastMessageOf(chat)).every((value) => value !== undefined);
			if (minutes !== undefined && !shows(chats, isClear))
				throw parameters.invalid(
					'The list of chats does not show who wrote last, and when',
					'So the node cannot find chats that wait. Do not remove the filter: the nodes after this one would act on all chats. Use the event Message Received of the trigger instead, as in “Find unanswered chats” in the documentation.',
				);
			const latest = clock.now() - (minutes ?? 0) * 60_000;
			return chats.filter((chat) => {
				// What others show, and a chat does not, it does not have: a service may leave out what is null.
				const { time = 0, isInbound } = lastMessageOf(chat);
				const isWaiting = minutes === undefined || (isInbound === true && time <= latest);
				return isWaiting && (unassigned === undefined || !isAssigned(chat) === unassigned);
			});
		};
	},
	combine: () => (rows) => rows.map((row) => withLastMessage(toOutput(row))),
	readLists: async ({ query }, read, rowLimit) =>
		await readVariants(
			textOf(query?.waId),
			rowLimit,
			async (waId) => await read({ query: { ...query, waId } }),
		),
};
