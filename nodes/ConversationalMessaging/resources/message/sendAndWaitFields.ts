import type { INodeProperties } from 'n8n-workflow';
import { choiceField, numberField, textField, toggleField } from '../../descriptions/basicFields';
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
import { DEFAULT_TEXTS } from './response/question';

/**
 * The names `message`, `responseType` and `approvalOptions` are those of n8n's own nodes: n8n fills them in where it
 * makes a human review step of this operation. They must not change.
 */

const onlyFor = (...responseTypes: string[]): INodeProperties['displayOptions'] => ({
	show: { responseType: responseTypes },
});

const [channel, to] = recipientFields as [INodeProperties, INodeProperties, INodeProperties];

const questionFields: INodeProperties[] = [
	choiceField('Message Type', 'messageType', {
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
	}),
	textField('Question', 'message', {
		typeOptions: { rows: 4 },
		required: true,
		description:
			'What to ask. The page behind the link shows it; with the message type Text, it is also sent. The recipient must be able to open n8n’s address: on your own server, set WEBHOOK_URL.',
	}),
	...templateFieldsFor('messageType'),
	choiceField('Response Type', 'responseType', {
		options: [
			{ name: 'Approval', value: 'approval', description: 'Approve or decline' },
			{ name: 'Custom Form', value: 'customForm', description: 'Fill in fields that you define' },
			{ name: 'Free Text', value: 'freeText', description: 'Enter text' },
		],
		default: 'approval',
		description: 'How the recipient responds, on the page behind the link',
	}),
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
					choiceField('Type of Approval', 'approvalType', {
						options: [
							{ name: 'Approve and Decline', value: 'double' },
							{ name: 'Approve Only', value: 'single' },
						],
						default: 'double',
						description: 'Which buttons the recipient has',
					}),
					textField('Approve Button Label', 'approveLabel', {
						default: 'Approve',
						description: 'Text on the button, and in front of its link in the message',
					}),
					textField('Decline Button Label', 'disapproveLabel', {
						default: 'Decline',
						displayOptions: { show: { approvalType: ['double'] } },
						description: 'Text on the button, and in front of its link in the message',
					}),
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
			textField('Label', 'fieldLabel', {
				placeholder: 'e.g. Reason',
				description: 'Label on the page, and key in the output',
			}),
			choiceField('Type', 'fieldType', {
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
			}),
			textField('Choices', 'fieldChoices', {
				placeholder: 'e.g. Refund, Replacement',
				displayOptions: { show: { fieldType: ['dropdown'] } },
				description: 'Choices of the list, separated by commas, or a list from an expression',
			}),
			textField('Placeholder', 'placeholder', {
				displayOptions: { hide: { fieldType: ['date', 'dropdown'] } },
				description: 'Text to show while the field is empty',
			}),
			toggleField('Required', 'requiredField', {
				default: false,
				description: 'Whether the recipient must fill in the field',
			}),
		],
	}),
	toggleField('Limit Wait Time', 'limitWaitTime', {
		default: false,
		description:
			'Whether to continue if nobody responds in time. The item then has timedOut: true, and an approval counts as declined.',
	}),
	numberField('Wait at Most', 'resumeAmount', {
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 1,
		displayOptions: { show: { limitWaitTime: [true] } },
		description: 'How long to wait. n8n checks about once a minute whether the time is up.',
	}),
	choiceField('Unit', 'resumeUnit', {
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		default: 'hours',
		displayOptions: { show: { limitWaitTime: [true] } },
		description: 'Unit of Wait at Most',
	}),
];

const FORMS = ['customForm', 'freeText'];

const linkLabelOption = textField('Link Label', 'messageButtonLabel', {
	default: 'Respond',
	displayOptions: { show: { '/responseType': FORMS, '/messageType': ['text'] } },
	description: 'Text in front of the link',
});

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
				textField('Button Label', 'submitLabel', {
					default: 'Submit',
					displayOptions: { show: { '/responseType': FORMS } },
					description: 'Text of the button that sends the response',
				}),
				textField('Expired Text', 'expired', {
					default: DEFAULT_TEXTS.expired,
					displayOptions: { show: { '/limitWaitTime': [true] } },
					description: 'What the page says once Wait at Most has passed',
				}),
				textField('Invalid Text', 'invalid', {
					placeholder: 'e.g. Check this value.',
					displayOptions: { show: { '/responseType': FORMS } },
					description:
						'What the page says at a field with a value that it cannot accept. If empty, it says in English what is expected.',
				}),
				textField('Language', 'language', {
					default: 'en',
					placeholder: 'e.g. de',
					description:
						'Language code of the page, for screen readers and translation. It translates nothing: enter the texts in this language.',
				}),
				textField('Recorded Text', 'recorded', {
					typeOptions: { rows: 3 },
					default: DEFAULT_TEXTS.recorded,
					description: 'What the page says after a response. The response replaces [response].',
				}),
				textField('Required Text', 'required', {
					default: DEFAULT_TEXTS.required,
					displayOptions: { show: { '/responseType': FORMS } },
					description:
						'What the page says at a required field that is empty, and above the form to explain the asterisk',
				}),
				textField('Response Label', 'responseLabel', {
					default: 'Response',
					displayOptions: { show: { '/responseType': ['freeText'] } },
					description: 'Label of the text field',
				}),
				textField('Title', 'title', {
					description:
						'Title of the page, also after a response. Enter your company’s name or another that the recipient knows. If empty, the first line of the question is the title.',
				}),
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
