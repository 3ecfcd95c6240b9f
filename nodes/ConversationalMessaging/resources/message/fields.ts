import type { INodeProperties } from 'n8n-workflow';
import { choiceField, numberField, textField, toggleField } from '../../descriptions/basicFields';
import {
	DEFAULT_CHANNEL_TYPE,
	ifChannel,
	sendingTypeOptions,
} from '../../descriptions/channelTypes';
import { entriesField } from '../../descriptions/entries';
import { ifSet, optionsCollection } from '../../descriptions/collections';
import { locator } from '../../descriptions/locator';
import { numberCountryField } from '../../descriptions/numberCountry';
import { agentField, channelField, recipientField } from '../../descriptions/records';
import { sendOnceField } from '../../descriptions/sendOnce';
import {
	componentsField,
	templateField,
	templateFields,
	templateModes,
} from '../../template/fields';

/**
 * A field that depends on Media Source has that condition first: if Message Type is an expression, n8n shows, and
 * requires, whatever follows from the conditions before it.
 */
const MEDIA = ['audio', 'document', 'image', 'sticker', 'video'];

/** Who receives the message, and what kind of message it is. */
export const recipientFields: INodeProperties[] = [
	choiceField('Channel Type', 'channel', {
		options: sendingTypeOptions,
		default: DEFAULT_CHANNEL_TYPE,
		description: 'Type of channel to send on. The service sends on these two only.',
	}),
	recipientField(
		'12025550143, US.13491208655302741918, or an Instagram ID',
		'Who receives the message. On WhatsApp, a phone number with country code, or a business-scoped user ID; on Instagram, an Instagram ID. On both, the ID of a contact, e.g. from a ticket.',
	),
	choiceField('Message Type', 'type', {
		options: [
			{ name: 'Audio', value: 'audio' },
			{ name: 'Document', value: 'document' },
			{ name: 'Image', value: 'image' },
			{ name: 'Sticker', value: 'sticker' },
			{ name: 'Template', value: 'template' },
			{ name: 'Text', value: 'text' },
			{ name: 'Video', value: 'video' },
		],
		default: 'text',
		description:
			'What to send. WhatsApp accepts only templates once 24 hours have passed since the customer’s last message.',
	}),
];

/**
 * The template and its variables, shown for the message type Template.
 *
 * @param typeField the field for the message type, whose name is not the same in all operations
 */
export const templateFieldsFor = (typeField: string): INodeProperties[] =>
	templateFields.map((field) => ({
		...field,
		displayOptions: { show: { [typeField]: ['template'] } },
	}));

/** The option with the values of its variables as JSON. */
export const componentsOption = (typeField: string): INodeProperties => ({
	...componentsField,
	displayOptions: { show: { [`/${typeField}`]: ['template'] } },
});

export const contentFields: INodeProperties[] = [
	textField('Text', 'text', {
		typeOptions: { rows: 4 },
		required: true,
		displayOptions: { show: { type: ['text'] } },
		description: 'Text of the message, at most 4,096 characters',
	}),
	choiceField('Media Source', 'mediaSource', {
		options: [
			{
				name: 'Input Binary Field',
				value: 'binary',
				description: 'A file of the input item. The service downloads it from n8n, within an hour.',
			},
			{ name: 'Media ID', value: 'mediaId' },
			{ name: 'URL', value: 'mediaUrl' },
		],
		default: 'mediaUrl',
		displayOptions: { show: { type: MEDIA } },
		description: 'How to provide the media',
	}),
	textField('Input Binary Field', 'binaryPropertyName', {
		default: 'data',
		required: true,
		displayOptions: { show: { mediaSource: ['binary'], type: MEDIA } },
		hint: 'The name of the input binary field that contains the file to send',
		description:
			'Name of the binary field with the file. The service gets a link to it that is valid for an hour, so n8n must have a public address (WEBHOOK_URL) and store files outside of memory.',
	}),
	textField('Media URL', 'mediaUrl', {
		required: true,
		placeholder: 'e.g. https://cdn.example.com/invoice.pdf',
		displayOptions: { show: { mediaSource: ['mediaUrl'], type: MEDIA } },
		description: 'URL from which the service downloads the media',
	}),
	textField('Media ID', 'mediaId', {
		required: true,
		displayOptions: { show: { mediaSource: ['mediaId'], type: MEDIA } },
		description: 'ID of media that were uploaded to the messaging platform before, a number',
	}),
	textField('Caption', 'caption', {
		displayOptions: { show: { type: ['document', 'image', 'video'] } },
		description: 'Text to show with the media, at most 1,024 characters',
	}),
	textField('File Name', 'fileName', {
		placeholder: 'e.g. invoice.pdf',
		displayOptions: { show: { type: ['document'] } },
		description: 'File name to show to the customer, with its extension',
	}),
	...templateFieldsFor('type'),
];

export const senderField: INodeProperties = {
	...agentField('The agent in whose name the message is sent', 'Send as Agent'),
	hint: 'Required on WhatsApp if the contact has no active session',
	builderHint: {
		propertyHint:
			'Required for WhatsApp unless a session is certain to be active. Use mode list with an empty value, so that the user picks the agent.',
	},
};

export const channelOption = channelField(
	'The channel to send from. If empty, the service uses the channel of the existing chat, or else the organization’s default.',
);

/**
 * The template to send instead of a message.
 *
 * @param freeForm the values of the fields with which the message is not a template
 */
export const fallbackOptions = (freeForm: Record<string, string[]>): INodeProperties[] => [
	{
		...templateField({
			modes: templateModes,
			description:
				'Approved template to send, once, if WhatsApp rejects the message because the 24-hour window is closed',
		}),
		displayName: 'Fallback Template',
		displayOptions: { show: { ...ifChannel('hasTemplates'), ...freeForm } },
	},
	entriesField({
		displayName: 'Fallback Template Variables',
		name: 'fallbackVariables',
		displayOptions: {
			show: { ...ifChannel('hasTemplates'), ...freeForm, ...ifSet('templateId').show },
		},
		description: 'A value for each variable of the fallback template',
		noun: 'Variable',
		saved: 'variable',
		title: '$collection.item.value.id?.cachedResultName || $collection.item.value.id?.value',
		values: [
			locator({
				displayName: 'Variable',
				name: 'id',
				search: 'searchFallbackVariables',
				example: '1',
				byId: { name: 'name', displayName: 'By Name' },
				description: 'The variable of the fallback template',
				typeOptions: {
					loadOptionsDependsOn: ['options.templateId.value', 'options.channelId.value'],
				},
			}),
			textField('Value', 'value', { description: 'The text for the variable' }),
		],
	}),
];

export const replyToOption = textField('Reply to Message ID', 'contextId', {
	placeholder: 'e.g. wamid.HBgLMTIwMjU1NTAxNDMVAgARGBI',
	description: 'ID of the message (WAMID) to quote, such as recordId of Message Received',
});

export const takeOverOption = toggleField('Take Over', 'takeOver', {
	description: 'Whether to take over the contact’s session if another agent has it',
});

/** Instagram has no phone numbers. */
export const numberCountryOption: INodeProperties = {
	...numberCountryField,
	displayOptions: { show: ifChannel('hasNumbers') },
};

export const senderFields: INodeProperties[] = [
	senderField,
	optionsCollection([
		channelOption,
		numberCountryOption,
		...fallbackOptions({ '/type': ['text', ...MEDIA] }),
		toggleField('Preview URL', 'previewUrl', {
			displayOptions: { show: { '/type': ['text'] } },
			description: 'Whether to show a preview of a link in the text',
		}),
		replyToOption,
		sendOnceField,
		takeOverOption,
		componentsOption('type'),
		numberField('Wait for Reply (Minutes)', 'waitForReplyMinutes', {
			typeOptions: { minValue: 1 },
			default: 5,
			description:
				'Wait for the customer to write, at most this long, and return the replies instead of the message. The execution keeps running. For more than an hour, use Send and Wait for Response, or the Message Received trigger in another workflow.',
		}),
	]),
];
