import type { IDataObject } from 'n8n-workflow';
import type { ServiceResponse } from '../../api/response';
import { withoutUndefined } from '../../parameters/values';
import type { Parameters } from '../../parameters/parameters';
import { addressKey } from '../../parameters/phone';
import { pickedTemplate } from '../../parameters/template';
import type { ChosenTemplate } from '../../parameters/chosenTemplate';
import { chosenTemplate, filledVariables } from '../../parameters/chosenTemplate';
import type { Operation, Output, OperationContext } from '../operation';
import { resolveTemplate } from '../resolveTemplate';
import { sendErrorHint } from './errorHint';
import { contentFields, recipientFields, senderFields } from './fields';
import { isWindowRefusal } from './serviceWindow';

/** The recipient, and a key that is the same for a number with or without a plus. */
function recipient(parameters: Parameters): { to: string; key: string } {
	const channel = parameters.requiredOption('channel');
	const isInstagram = channel === 'INSTAGRAM';
	const to = isInstagram ? parameters.requiredId('to') : parameters.requiredWhatsAppId('to');
	return { to, key: `${channel} ${isInstagram ? to : addressKey(to)}` };
}

function media(parameters: Parameters): IDataObject {
	if (parameters.requiredOption('mediaSource') === 'mediaId')
		return { mediaId: parameters.required('mediaId') };
	return { mediaUrl: parameters.required('mediaUrl') };
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
	template: (): IDataObject => ({}),
};

/** Sender and recipient, for all types of message. */
function envelope(parameters: Parameters) {
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

/** A template with the values for its variables. */
interface FilledTemplate {
	template: ChosenTemplate;
	components?: unknown[];
}

/** The template to send instead of a free-form message if the customer service window is closed. */
function fallbackTemplate(parameters: Parameters): FilledTemplate | undefined {
	const options = parameters.collection('options');
	const value = options.idIfSet('templateId');
	if (value === undefined || parameters.requiredOption('channel') === 'INSTAGRAM') return undefined;
	return { template: pickedTemplate(value), components: options.list('fallbackComponents') };
}

export const send: Operation = {
	name: 'Send',
	value: 'send',
	action: 'Send message',
	description: 'Send a text, media, sticker or template message on WhatsApp or Instagram',
	endpoint: 'POST /messages',
	otherEndpoints: ['GET /templates'],
	fields: [...recipientFields, ...contentFields, ...senderFields],
	result: 'steps',
	orderingKey: (parameters) => recipient(parameters).key,
	prepare(parameters) {
		const type = parameters.requiredOption('type') as keyof typeof contents;
		const sender = envelope(parameters);
		const sendTemplate = async (
			context: OperationContext,
			{ template, components }: FilledTemplate,
		): Promise<ServiceResponse> => {
			const { channelId } = sender;
			const { name, language } = await resolveTemplate(context, template, channelId, parameters);
			const body = withoutUndefined({
				...sender,
				type: 'template',
				templateName: name,
				templateLanguage: language,
				templateComponents: components,
			});
			return await context.send('POST /messages', { body });
		};
		if (type === 'template') {
			const template = chosenTemplate(parameters);
			const { components } = filledVariables(parameters);
			return async (context) =>
				context.output(await sendTemplate(context, { template, components }));
		}
		const fallback = fallbackTemplate(parameters);
		const body = withoutUndefined({ ...sender, type, ...contents[type](parameters) });
		if (!fallback)
			return async (context) => context.output(await context.send('POST /messages', { body }));
		return async (context) => {
			const response = await context.send('POST /messages', { body }, [400, 403, 422]);
			if (response.status < 300) return withSentAs(context.output(response), 'message');
			if (!isWindowRefusal(response)) throw context.refuse(response);
			return withSentAs(context.output(await sendTemplate(context, fallback)), 'fallbackTemplate');
		};
	},
	errorHint: sendErrorHint,
};

/** Adds which of the two was sent. */
function withSentAs(outputs: Output[], sentAs: 'message' | 'fallbackTemplate'): Output[] {
	return outputs.map(({ json }) => ({ json: { ...json, sentAs } }));
}
