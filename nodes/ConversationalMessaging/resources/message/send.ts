import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import type { ChosenTemplate } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import type { Parameters } from '../../parameters/parameters';
import { contactAddress } from '../../parameters/phone';
import { pickedTemplate } from '../../parameters/template';
import { withoutUndefined } from '../../parameters/values';
import { binaryFile } from '../../runner/binaryFile';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { resolveTemplate } from '../shared/resolveTemplate';
import { sendErrorHint } from './errorHint';
import { contentFields, recipientFields, replyWaitMs, senderFields } from './fields';
import { openConversation, waitForReplies } from './replies';
import type { OncePlan } from './sendOnce';
import { asSent, readOnce, sendOnce } from './sendOnce';
import { isWindowClosed } from './serviceWindow';

export const send = planned({
	name: 'Send',
	value: 'send',
	action: 'Send message',
	description: 'Send a text, media, sticker or template message on WhatsApp or Instagram',
	endpoint: 'POST /messages',
	otherEndpoints: [
		'GET /templates',
		'GET /chats',
		'GET /chats/{id}/messages',
		'GET /contacts/{id}',
	],
	fields: [...recipientFields, ...contentFields, ...senderFields],
	orderingKey: (parameters) => recipient(parameters).key,
	prepare: (parameters) => ({
		message: readPlan(parameters),
		once: readOnce(parameters.collection('options'), parameters.context.getInputData().length),
		waitMs: replyWaitMs(parameters.collection('options')),
	}),
	run: sendAndAwaitReplies,
	errorHint: sendErrorHint,
});

/** A message as the user set it up: a template, or free-form content with a template in reserve. */
export type MessagePlan = { envelope: Envelope } & (
	| { template: FilledTemplate; content?: undefined }
	| {
			content: IDataObject;
			/** The media, if it is a file of n8n: the service downloads it from a link. */
			file?: IBinaryData;
			fallback?: FilledTemplate;
	  }
);

function readPlan(parameters: Parameters): MessagePlan {
	const type = parameters.requiredOption('type') as keyof typeof contents | 'template';
	const envelope = readEnvelope(parameters);
	if (type === 'template') {
		const template = chosenTemplate(parameters);
		const { components } = filledVariables(parameters);
		return { envelope, template: { template, components } };
	}
	const fallback = fallbackTemplate(parameters);
	const file = type === 'text' ? undefined : mediaFile(parameters);
	const content: IDataObject = { type, ...contents[type](parameters) };
	if (type === 'document') content.fileName ??= file?.fileName;
	return { envelope, content, file, fallback };
}

interface Plan {
	message: MessagePlan;
	once?: OncePlan;
	/** How long to wait for a reply, in milliseconds. */
	waitMs?: number;
}

/** Sends a message, once for its key if it has one, and waits for a reply if a time for it is given. */
async function sendAndAwaitReplies(
	context: OperationContext,
	{ message, once, waitMs }: Plan,
): Promise<Output[]> {
	const conversation =
		waitMs === undefined ? undefined : await openConversation(context, message.envelope);
	const send = async () => await sendMessage(context, message);
	const { isSent, outputs } = once
		? await sendOnce(context, once, send)
		: { isSent: true, outputs: await send() };
	if (!conversation || waitMs === undefined || !isSent) return outputs;
	const replies = await waitForReplies(context, conversation, outputs, waitMs);
	// Also a reply shows that its message was sent.
	return once ? replies.map(asSent) : replies;
}

/** Sends a message, or its fallback template if WhatsApp's customer service window is closed. */
export async function sendMessage(context: OperationContext, plan: MessagePlan): Promise<Output[]> {
	const { envelope } = plan;
	if (!plan.content) return context.outputOf(await sendTemplate(context, envelope, plan.template));
	const { content, file, fallback } = plan;
	// Not earlier: a message may have waited for the rate limit longer than the link is valid.
	const media = file && { mediaUrl: context.linkTo(file, LINK_EXPIRY) };
	const body = withoutUndefined({ ...envelope, ...content, ...media });
	if (!fallback) return context.outputOf(await context.send({ body }));
	const response = await context.send({ body, acceptStatuses: [400, 403, 422] });
	if (response.status < 300) return withSentAs(context.outputOf(response), 'message');
	if (!isWindowClosed(response)) throw context.responseError(response);
	const sent = await sendTemplate(context, envelope, fallback);
	return withSentAs(context.outputOf(sent), 'fallbackTemplate');
}

async function sendTemplate(
	context: OperationContext,
	envelope: Envelope,
	{ template, components }: FilledTemplate,
): Promise<ServiceResponse> {
	const { name, language } = await resolveTemplate(context, template, envelope.channelId);
	const body = withoutUndefined({
		...envelope,
		type: 'template',
		templateName: name,
		templateLanguage: language,
		templateComponents: components,
	});
	return await context.send({ body });
}

/** Adds which of the two was sent. */
function withSentAs(outputs: Output[], sentAs: 'message' | 'fallbackTemplate'): Output[] {
	return outputs.map(({ json }) => ({ json: { ...json, sentAs } }));
}

/** The recipient, and a key that is the same for a number with or without a plus. */
export function recipient(parameters: Parameters): { to: string; key: string } {
	const channel = parameters.requiredOption('channel');
	const isInstagram = channel === 'INSTAGRAM';
	const to = isInstagram ? parameters.requiredId('to') : parameters.requiredRecipient('to');
	return { to, key: `${channel} ${isInstagram ? to : contactAddress(to)}` };
}

/** How long the service can download a file from n8n. */
const LINK_EXPIRY = '1 hour';

function media(parameters: Parameters): IDataObject {
	switch (parameters.requiredOption('mediaSource')) {
		case 'mediaId':
			return { mediaId: parameters.required('mediaId') };
		case 'mediaUrl':
			return { mediaUrl: parameters.required('mediaUrl') };
		default:
			// A file: see `mediaFile`.
			return {};
	}
}

/** @throws NodeOperationError if the item has no such file, or n8n keeps it in memory, where no link leads to it */
function mediaFile(parameters: Parameters): IBinaryData | undefined {
	if (parameters.requiredOption('mediaSource') !== 'binary') return undefined;
	const file = binaryFile(parameters, parameters.required('binaryPropertyName'), 'media');
	if (file.id) return file;
	throw parameters.invalid(
		'The service cannot download the file, because n8n keeps it in memory',
		'Set n8n’s N8N_DEFAULT_BINARY_DATA_MODE to filesystem, database or s3, or set Media Source to URL.',
	);
}

/** The content of each type of message (API document, `POST /messages`). For templates, see below. */
const contents = {
	text: (parameters: Parameters): IDataObject => ({
		text: parameters.requiredVerbatim('text'),
		previewUrl: parameters.collection('options').boolean('previewUrl'),
	}),
	image: (parameters: Parameters): IDataObject => ({
		...media(parameters),
		caption: parameters.text('caption'),
	}),
	video: (parameters: Parameters): IDataObject => ({
		...media(parameters),
		caption: parameters.text('caption'),
	}),
	document: (parameters: Parameters): IDataObject => ({
		...media(parameters),
		caption: parameters.text('caption'),
		fileName: parameters.text('fileName'),
	}),
	audio: media,
	sticker: media,
};

/** Sender and recipient, for all types of message. */
export function readEnvelope(parameters: Parameters) {
	const options = parameters.collection('options');
	return {
		to: recipient(parameters).to,
		channel: parameters.requiredOption('channel'),
		agentId: parameters.id('agentId'),
		channelId: options.idIfSet('channelId'),
		takeOver: options.boolean('takeOver'),
		contextId: options.text('contextId'),
	};
}

export type Envelope = ReturnType<typeof readEnvelope>;

/** A template with the values for its variables. */
export interface FilledTemplate {
	template: ChosenTemplate;
	components?: unknown[];
}

/** The template to send instead of a free-form message if the customer service window is closed. */
export function fallbackTemplate(parameters: Parameters): FilledTemplate | undefined {
	const options = parameters.collection('options');
	const value = options.idIfSet('templateId');
	if (value === undefined || parameters.requiredOption('channel') === 'INSTAGRAM') return undefined;
	return { template: pickedTemplate(value), components: options.list('fallbackComponents') };
}
