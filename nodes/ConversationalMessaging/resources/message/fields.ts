import type { INodeProperties } from 'n8n-workflow';
import type { Collection } from '../../parameters/collection';
import { channelTypeOptions } from '../../descriptions/channelType';
import { optionsCollection } from '../../descriptions/collections';
import { locator } from '../../descriptions/locator';
import { agentField, channelField, templateField } from '../../descriptions/records';
import { templateFields } from '../../descriptions/template';
import { DEFAULT_HISTORY_SIZE } from './sendOnce';

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

/**
 * The template and its variables, shown for the message type Template.
 *
 * @param typeField the field for the message type. Operations have their own: if its value is an expression, n8n shows
 *   the fields of every operation that depend on a field of this name, and requires values for them.
 */
export const templateFieldsFor = (typeField: string): INodeProperties[] =>
	templateFields.map((field) => ({
		...field,
		displayOptions: { show: { ...field.displayOptions?.show, [typeField]: ['template'] } },
	}));

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
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: { show: { type: MEDIA, mediaSource: ['binary'] } },
		hint: 'The name of the input binary field that contains the file to send',
		description:
			'Name of the binary field with the file. The service gets a link to it that is valid for an hour, so n8n must have a public address (WEBHOOK_URL) and store files outside of memory.',
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
	...templateFieldsFor('type'),
];

export const senderField = agentField(
	'The agent who sends the message. Required on WhatsApp if the contact has no active session.',
);

/**
 * How it is sent, in the order of their names.
 *
 * @param freeForm the values of the fields with which the message is not a template
 */
export const senderOptions = (freeForm: Record<string, string[]>): INodeProperties[] => [
	channelField(
		'The channel to send from. If empty, the channel of the existing chat is used, or else the organization’s default.',
	),
	{
		displayName: 'Fallback Components',
		name: 'fallbackComponents',
		type: 'json',
		default: '[]',
		displayOptions: { show: { '/channel': ['WHATSAPP'], ...freeForm } },
		description: 'Values for the fallback template’s variables, as a JSON list',
	},
	{
		...templateField({
			description:
				'Approved template to send, once, if WhatsApp rejects the message because the 24-hour window is closed',
		}),
		displayName: 'Fallback Template',
		displayOptions: { show: { '/channel': ['WHATSAPP'], ...freeForm } },
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
];

const previewUrl: INodeProperties = {
	displayName: 'Preview URL',
	name: 'previewUrl',
	type: 'boolean',
	default: true,
	displayOptions: { show: { '/type': ['text'] } },
	description: 'Whether to show a preview of a link in the text',
};

const DEFAULT_REPLY_MINUTES = 5;

/** Wait for Reply and its limit. */
const replyOptions: INodeProperties[] = [
	{
		displayName: 'Max Wait for Reply (Minutes)',
		name: 'maxReplyWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_REPLY_MINUTES,
		description:
			'How long to wait for a reply. Adding this option also turns on waiting, unless Wait for Reply is off.',
	},
	{
		displayName: 'Wait for Reply',
		name: 'waitForReply',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the customer writes, and return the replies instead of the message. The execution keeps running, so wait minutes only; for more, start another workflow with the trigger’s event Message Received.',
	},
];

/** How long to wait for a reply, in milliseconds; undefined for not at all. */
export function replyWaitMs(options: Collection): number | undefined {
	const minutes = options.number('maxReplyWaitMinutes');
	if (!(options.boolean('waitForReply') ?? minutes !== undefined)) return undefined;
	const limit = minutes ?? DEFAULT_REPLY_MINUTES;
	if (limit > 0) return limit * 60_000;
	throw options.invalidValue('maxReplyWaitMinutes', 'a number above 0', limit);
}

/** Send Once Per, and what belongs to it. */
const onceOptions: INodeProperties[] = [
	{
		displayName: 'Send Once Per',
		name: 'sendOnceKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.orderId }}',
		description:
			'Send one message per value, e.g. per order, even if the workflow runs again. Other items with the value return sent: false, because its message was sent before, or may have been: if n8n stops while it sends, later runs cannot know. With several n8n processes, a value can be lost and its message sent again.',
	},
	{
		displayName: 'Send Once History Size',
		name: 'sendOnceHistorySize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_HISTORY_SIZE,
		description:
			'How many values of Send Once Per n8n remembers. The oldest are forgotten first. With the scope Workflow, the smallest history size among its nodes applies.',
	},
	{
		displayName: 'Send Once Scope',
		name: 'sendOnceScope',
		type: 'options',
		options: [
			{ name: 'Node', value: 'node', description: 'Other nodes can still send for the same value' },
			{
				name: 'Workflow',
				value: 'workflow',
				description: 'Nodes with this scope share their values',
			},
		],
		default: 'node',
		description: 'Where a value of Send Once Per counts as sent',
	},
];

/** Options in the order of their names, as n8n has them. */
export const byDisplayName = (fields: INodeProperties[]): INodeProperties[] =>
	[...fields].sort((a, b) => (a.displayName < b.displayName ? -1 : 1));

/** Who sends it, and how. */
export const senderFields: INodeProperties[] = [
	senderField,
	optionsCollection(
		byDisplayName([
			...senderOptions({ '/type': ['text', ...MEDIA] }),
			previewUrl,
			...replyOptions,
			...onceOptions,
		]),
	),
];
