import { readWaitMs } from '../../descriptions/wait';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Sent } from '../../runner/output';
import { readOnceKey, sendOnce } from '../shared/sendOnce';
import { sendErrorHint } from './errorHint';
import { contentFields, recipientFields, senderFields } from './fields';
import { type MessagePlan, readMessage, recipientOrder } from './messagePlan';
import { type Conversation, readConversation, waitForReplies } from './replies';
import { addressed, sendMessage } from './sendMessage';

export const send = planned({
	name: 'Send',
	value: 'send',
	action: 'Send message',
	description: 'Send a text, media, sticker or template message on WhatsApp or Instagram',
	builderHint:
		'One item sends one message. On WhatsApp, types other than template are accepted only within 24 hours of the customer’s last message: to start a conversation, set type to template, and to send a text whenever that is possible, add the option Fallback Template. For one template to many recipients, use broadcast create.',
	endpoint: 'POST /messages',
	otherEndpoints: [
		'GET /templates',
		'GET /chats',
		'GET /chats/{id}/messages',
		'GET /contacts/{id}',
	],
	fields: [...recipientFields, ...contentFields, ...senderFields],
	orderingKey: recipientOrder,
	prepare: (parameters) => ({
		message: readMessage(parameters),
		onceKey: readOnceKey(parameters),
		waitMs: readWaitMs(parameters.collection('options'), 'waitForReplyMinutes'),
	}),
	run: async (context, plan) =>
		await sendOnce(context, 'message', plan.onceKey, async () => await sendNow(context, plan)),
	wait: async (context, _plan, conversation, sent) =>
		await waitForReplies(context, conversation, sent),
	errorHint: sendErrorHint('set Message Type to Template, or add the option Fallback Template'),
});

interface Plan {
	message: MessagePlan;
	/** How long to wait for a reply, in milliseconds; undefined for not at all. */
	waitMs?: number;
}

async function sendNow(
	context: OperationContext,
	{ message: plan, waitMs }: Plan,
): Promise<Sent<Conversation>> {
	const message = await addressed(context, plan);
	if (waitMs === undefined) return { outputs: await sendMessage(context, message) };
	const conversation = await readConversation(context, message.envelope, waitMs);
	return { outputs: await sendMessage(context, message), pending: conversation };
}
