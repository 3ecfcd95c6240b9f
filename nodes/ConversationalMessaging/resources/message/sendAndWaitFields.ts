import type { INodeProperties } from 'n8n-workflow';
import { entriesField } from '../../descriptions/entries';
import { optionsCollection } from '../../descriptions/collections';
import {
	channelOption,
	componentsOption,
	fallbackOptions,
	numberCountryOption,
	recipientFields,
	replyToOption,
	senderField,
	takeOverOption,
	templateFieldsFor,
} from './fields';

/**
 * The names `message`, `responseType` and `approvalOptions` are those of n8n's own nodes: n8n fills them in where it
 * makes a human review step of this operation. They must not change.
 */

const onlyFor = (...responseTypes: string[]): INodeProperties['displayOptions'] => ({
	show: { responseType: responseTypes },
});

const [channel, to] = recipientFields as [INodeProperties, INodeProperties, INodeProperties];

/** A label and a type for each field, above what the type reveals: n8n's lint would have them in the order of their names. */
const formFieldLabel: INodeProperties = {
	displayName: 'Label',
	name: 'fieldLabel',
	type: 'string',
	default: '',
	placeholder: 'e.g. Reason',
	description: 'Label on the page, and key in the output',
};

const formFieldType: INodeProperties = {
	displayName: 'Type',
	name: 'fieldType',
	type: 'options',
	options: [
		{ name: 'Date', value: 'date' },
		{ name: 'Dropdown List', value: 'dropdown' },
		{ name: 'Email', value: 'email' },
		{ name: 'Number', value: 'number' },
		{ name: 'Text', value: 'text' },
		{ name: 'Text Area', value: 'textarea' },
	],
	default: 'text',
	description: 'What the recipient can enter',
};

const questionFields: INodeProperties[] = [
	{
		displayName: 'Message Type',
		name: 'messageType',
		type: 'options',
		options: [
			{
				name: 'Template',
				value: 'template',
				description: 'An approved template that contains the link, at any time',
			},
			{
				name: 'Text',
				value: 'text',
				description: 'The message with its links, within 24 hours of the recipient’s last message',
			},
		],
		default: 'text',
		description:
			'How to send it. In a template, enter [link] as the value of one variable, in the header, the body or a URL button.',
	},
	{
		displayName: 'Question',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		description:
			'What to ask. The page behind the link shows it; with the message type Text, it is also sent. The recipient must be able to open n8n’s address: on your own server, set WEBHOOK_URL.',
	},
	...templateFieldsFor('messageType'),
	{
		displayName: 'Response Type',
		name: 'responseType',
		type: 'options',
		options: [
			{ name: 'Approval', value: 'approval', description: 'Approve or decline' },
			{ name: 'Custom Form', value: 'customForm', description: 'Fill in fields that you define' },
			{ name: 'Free Text', value: 'freeText', description: 'Enter text' },
		],
		default: 'approval',
		description: 'How the recipient responds, on the page behind the link',
	},
	{
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'fixedCollection',
		placeholder: 'Change the Buttons Approve and Decline',
		// With a value in it, n8n fails on workflows that do not have the field.
		default: {},
		displayOptions: onlyFor('approval'),
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Type of Approval',
						name: 'approvalType',
						type: 'options',
						options: [
							{ name: 'Approve and Decline', value: 'double' },
							{ name: 'Approve Only', value: 'single' },
						],
						default: 'double',
						description: 'Which buttons the recipient has',
					},
					{
						displayName: 'Approve Button Label',
						name: 'approveLabel',
						type: 'string',
						default: 'Approve',
						description: 'Text on the button, and in front of its link in the message',
					},
					{
						displayName: 'Decline Button Label',
						name: 'disapproveLabel',
						type: 'string',
						default: 'Decline',
						displayOptions: { show: { approvalType: ['double'] } },
						description: 'Text on the button, and in front of its link in the message',
					},
				],
			},
		],
		description: 'The buttons of the approval. Without options, they are Approve and Decline.',
	},
	entriesField({
		displayName: 'Form Fields',
		name: 'formFields',
		required: true,
		displayOptions: onlyFor('customForm'),
		description: 'The fields of the form',
		noun: 'Field',
		saved: 'values',
		title: '$collection.item.value.fieldLabel',
		sortable: true,
		values: [
			formFieldLabel,
			formFieldType,
			{
				displayName: 'Choices',
				name: 'fieldChoices',
				type: 'string',
				default: '',
				placeholder: 'e.g. Refund, Replacement',
				displayOptions: { show: { fieldType: ['dropdown'] } },
				description: 'Choices of the list, separated by commas, or a list from an expression',
			},
			{
				displayName: 'Placeholder',
				name: 'placeholder',
				type: 'string',
				default: '',
				displayOptions: { hide: { fieldType: ['date', 'dropdown'] } },
				description: 'Text to show while the field is empty',
			},
			{
				displayName: 'Required',
				name: 'requiredField',
				type: 'boolean',
				default: false,
				description: 'Whether the recipient must fill in the field',
			},
		],
	}),
	{
		displayName: 'Limit Wait Time',
		name: 'limitWaitTime',
		type: 'boolean',
		default: false,
		description:
			'Whether to continue if nobody responds in time. The item then has timedOut: true, and an approval counts as declined.',
	},
	{
		displayName: 'Wait at Most',
		name: 'resumeAmount',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 1,
		displayOptions: { show: { limitWaitTime: [true] } },
		description: 'How long to wait. n8n checks about once a minute whether the time is up.',
	},
	{
		displayName: 'Unit',
		name: 'resumeUnit',
		type: 'options',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		default: 'hours',
		displayOptions: { show: { limitWaitTime: [true] } },
		description: 'Unit of Wait at Most',
	},
];

const FORMS = ['customForm', 'freeText'];

const linkLabelOption: INodeProperties = {
	displayName: 'Link Label',
	name: 'messageButtonLabel',
	type: 'string',
	default: 'Respond',
	displayOptions: { show: { '/responseType': FORMS, '/messageType': ['text'] } },
	description: 'Text in front of the link',
};

/** What the page behind the link says, besides the question. */
const pageOption: INodeProperties = {
	displayName: 'Page Texts',
	name: 'page',
	type: 'fixedCollection',
	placeholder: 'Add Texts',
	default: {},
	options: [
		{
			displayName: 'Texts',
			name: 'texts',
			values: [
				{
					displayName: 'Button Label',
					name: 'submitLabel',
					type: 'string',
					default: 'Submit',
					displayOptions: { show: { '/responseType': FORMS } },
					description: 'Text of the button that sends the response',
				},
				{
					displayName: 'Expired Text',
					name: 'expired',
					type: 'string',
					default: 'This link has expired: the time to respond has passed.',
					displayOptions: { show: { '/limitWaitTime': [true] } },
					description: 'What the page says once Wait at Most has passed',
				},
				{
					displayName: 'Invalid Text',
					name: 'invalid',
					type: 'string',
					default: '',
					placeholder: 'e.g. Check this value.',
					displayOptions: { show: { '/responseType': FORMS } },
					description:
						'What the page says at a field with a value that it cannot accept. If empty, it says in English what is expected.',
				},
				{
					displayName: 'Language',
					name: 'language',
					type: 'string',
					default: 'en',
					placeholder: 'e.g. de',
					description:
						'Language code of the page, for screen readers and translation. It translates nothing: enter the texts in this language.',
				},
				{
					displayName: 'Recorded Text',
					name: 'recorded',
					type: 'string',
					typeOptions: { rows: 3 },
					default: 'Recorded: [response]\n\nThank you. You can close this page.',
					description: 'What the page says after a response. The response replaces [response].',
				},
				{
					displayName: 'Required Text',
					name: 'required',
					type: 'string',
					default: 'This field is required.',
					displayOptions: { show: { '/responseType': FORMS } },
					description:
						'What the page says at a required field that is empty, and above the form to explain the asterisk',
				},
				{
					displayName: 'Response Label',
					name: 'responseLabel',
					type: 'string',
					default: 'Response',
					displayOptions: { show: { '/responseType': ['freeText'] } },
					description: 'Label of the text field',
				},
				{
					displayName: 'Title',
					name: 'title',
					type: 'string',
					default: '',
					description:
						'Title of the page, also after a response. Enter your company’s name or another that the recipient knows. If empty, the first line of the question is the title.',
				},
			],
		},
	],
	description: 'Title, language and texts of the page behind the link',
};

export const sendAndWaitFields: INodeProperties[] = [
	channel,
	to,
	...questionFields,
	senderField,
	optionsCollection([
		channelOption,
		numberCountryOption,
		...fallbackOptions({ '/messageType': ['text'] }),
		linkLabelOption,
		pageOption,
		replyToOption,
		takeOverOption,
		componentsOption('messageType'),
	]),
];
