import type { INodeProperties } from 'n8n-workflow';
import { channelTypeOptions } from '../../descriptions/channelType';
import { optionsCollection } from '../../descriptions/collections';
import { locator } from '../../descriptions/locator';
import { agentField, channelField, templateField } from '../../descriptions/records';
import { templateFields } from '../../descriptions/template';

const MEDIA = ['audio', 'document', 'image', 'sticker', 'video'];

/** Who receives the message, and what kind of message it is. */
export const recipientFields: INodeProperties[] = [
	{
		displayName: 'Channel Type',
		name: 'channel',
		type: 'options',
		options: channelTypeOptions,
		default: 'WHATSAPP',
		description: 'Channel to send on. You can send messages on WhatsApp and Instagram only.',
	},
	locator({
		displayName: 'To',
		name: 'to',
		search: 'searchRecipients',
		noun: 'contact',
		example: '12025550143, or an Instagram ID',
		required: true,
		description:
			'Who receives the message: a phone number with country code for WhatsApp, an Instagram ID for Instagram',
	}),
	{
		displayName: 'Message Type',
		name: 'type',
		type: 'options',
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
	},
];

const onlyFor = ({ displayOptions }: INodeProperties): INodeProperties['displayOptions'] => ({
	show: { ...displayOptions?.show, type: ['template'] },
});

/** The content of the message. */
export const contentFields: INodeProperties[] = [
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		displayOptions: { show: { type: ['text'] } },
		description: 'Text of the message',
	},
	{
		displayName: 'Media Source',
		name: 'mediaSource',
		type: 'options',
		options: [
			{ name: 'Media ID', value: 'mediaId' },
			{ name: 'URL', value: 'mediaUrl' },
		],
		default: 'mediaUrl',
		displayOptions: { show: { type: MEDIA } },
		description: 'How to provide the media',
	},
	{
		displayName: 'Media URL',
		name: 'mediaUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://cdn.example.com/invoice.pdf',
		displayOptions: { show: { type: MEDIA, mediaSource: ['mediaUrl'] } },
		description: 'URL from which the service downloads the media',
	},
	{
		displayName: 'Media ID',
		name: 'mediaId',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show: { type: MEDIA, mediaSource: ['mediaId'] } },
		description: 'ID of previously uploaded media',
	},
	{
		displayName: 'Caption',
		name: 'caption',
		type: 'string',
		default: '',
		displayOptions: { show: { type: ['document', 'image', 'video'] } },
		description: 'Text to show with the media',
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice.pdf',
		displayOptions: { show: { type: ['document'] } },
		description: 'File name to show to the customer',
	},
	...templateFields.map((field) => ({ ...field, displayOptions: onlyFor(field) })),
];

const FREE_FORM: INodeProperties['displayOptions'] = {
	show: {
		'/channel': ['WHATSAPP'],
		'/type': ['audio', 'document', 'image', 'sticker', 'text', 'video'],
	},
};

/** Who sends it, and how. */
export const senderFields: INodeProperties[] = [
	agentField(
		'The agent who sends the message. Required on WhatsApp if the contact has no active session.',
	),
	optionsCollection([
		channelField(
			'The channel to send from. If empty, the channel of the existing chat is used, or else the organization’s default.',
		),
		{
			displayName: 'Fallback Components',
			name: 'fallbackComponents',
			type: 'json',
			default: '[]',
			displayOptions: FREE_FORM,
			description: 'Values for the fallback template’s variables, as a JSON list',
		},
		{
			...templateField({
				description:
					'Approved template to send, once, if WhatsApp rejects the message because the 24-hour window is closed',
			}),
			displayName: 'Fallback Template',
			displayOptions: FREE_FORM,
		},
		{
			displayName: 'Preview URL',
			name: 'previewUrl',
			type: 'boolean',
			default: true,
			displayOptions: { show: { '/type': ['text'] } },
			description: 'Whether to show a preview of a link in the text',
		},
		{
			displayName: 'Reply To Message ID',
			name: 'contextId',
			type: 'string',
			default: '',
			placeholder: 'e.g. wamid.HBgLMTIwMjU1NTAxNDMVAgARGBI',
			description: 'ID of the message (WAMID) to reply to',
		},
		{
			displayName: 'Take Over',
			name: 'takeOver',
			type: 'boolean',
			default: true,
			description: 'Whether to take over the contact’s session if another agent has it',
		},
	]),
];
