import type { IDataObject } from 'n8n-workflow';
import { compact } from '../../fields/parameters';
import type { Parameters } from '../../fields/parameters';
import { phone } from '../../fields/phone';
import type { Operation } from '../operation';
import { sendAdvice } from './advice';
import { contentFields, recipientFields, senderFields } from './fields';

/** The contact's address; numbers are compared by their digits, so that one person has one address. */
function recipient(parameters: Parameters): { to: string; key: string } {
	const to = parameters.requiredId('to', 'To');
	if (parameters.text('channel') === 'INSTAGRAM') return { to, key: `INSTAGRAM ${to}` };
	const number = phone(to) ?? to;
	return { to: number, key: `WHATSAPP ${number.replace(/^\+/, '')}` };
}

function media(parameters: Parameters): IDataObject {
	if (parameters.text('mediaSource') === 'mediaId')
		return { mediaId: parameters.required('mediaId', 'Media ID') };
	return { mediaUrl: parameters.required('mediaUrl', 'Media URL') };
}

/** What each type of message carries (API document, `POST /messages`). */
const contents: Record<string, (parameters: Parameters) => IDataObject> = {
	text: (parameters) => ({
		text: parameters.verbatim('text', 'Text'),
		previewUrl: parameters.group('options').flag('previewUrl'),
	}),
	image: (parameters) => ({ ...media(parameters), caption: parameters.text('caption') }),
	video: (parameters) => ({ ...media(parameters), caption: parameters.text('caption') }),
	document: (parameters) => ({
		...media(parameters),
		caption: parameters.text('caption'),
		fileName: parameters.text('fileName'),
	}),
	audio: media,
	sticker: media,
	template: (parameters) => ({
		templateName: parameters.required('templateName', 'Template Name'),
		templateLanguage: parameters.required('templateLanguage', 'Template Language'),
		templateComponents: parameters.list('templateComponents', 'Template Components'),
	}),
};

export const send: Operation = {
	name: 'Send',
	value: 'send',
	action: 'Send message',
	description: 'Send a text, media, sticker or template message on WhatsApp or Instagram',
	endpoint: 'POST /messages',
	permission: 'chats.reply',
	fields: [...recipientFields, ...contentFields, ...senderFields],
	result: 'record',
	subject: (parameters) => recipient(parameters).key,
	request(parameters) {
		const type = parameters.required('type', 'Message Type');
		const content = Object.prototype.hasOwnProperty.call(contents, type)
			? contents[type]
			: undefined;
		if (!content) {
			throw parameters.invalid(
				`There is no message type "${type}"`,
				`Choose one of ${Object.keys(contents).join(', ')}.`,
			);
		}
		const options = parameters.group('options');
		return {
			body: compact({
				to: recipient(parameters).to,
				channel: parameters.text('channel'),
				type,
				...content(parameters),
				agentId: parameters.choice('agentId')?.value,
				channelId: options.id('channelId'),
				takeOver: options.flag('takeOver'),
				contextId: options.text('contextId'),
			}),
		};
	},
	advice: sendAdvice,
};
