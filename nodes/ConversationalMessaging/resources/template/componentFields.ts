import type { INodeProperties } from 'n8n-workflow';
import { choiceField, textField } from '../../descriptions/basicFields';
import { entriesField } from '../../descriptions/entries';

const show = (conditions: Record<string, string[]>): INodeProperties['displayOptions'] => ({
	show: { defineUsing: ['fields'], ...conditions },
});

/**
 * What a template consists of, for `readComponents`.
 *
 * A text with variables is no expression: n8n makes one of every text with "{{1}}", and its value is 1.
 */
export const componentFields: INodeProperties[] = [
	choiceField('Define Using', 'defineUsing', {
		options: [
			{ name: 'Fields', value: 'fields', description: 'Header, body, footer and buttons' },
			{ name: 'JSON', value: 'json', description: 'For everything else, such as a carousel' },
		],
		default: 'fields',
		description: 'How to define the content of the template',
	}),
	choiceField('Header', 'header', {
		options: [
			{ name: 'Document', value: 'DOCUMENT' },
			{ name: 'Image', value: 'IMAGE' },
			{ name: 'None', value: 'NONE' },
			{ name: 'Text', value: 'TEXT' },
			{ name: 'Video', value: 'VIDEO' },
		],
		default: 'NONE',
		displayOptions: show({}),
		description: 'What is above the body',
	}),
	textField('Header Text', 'headerText', {
		noDataExpression: true,
		required: true,
		placeholder: 'e.g. Your order {{1}}',
		displayOptions: show({ header: ['TEXT'] }),
		description: 'At most 60 characters, with at most one variable, {{1}}',
	}),
	textField('Header Example', 'headerExample', {
		placeholder: 'e.g. 1042',
		displayOptions: show({ header: ['TEXT'] }),
		description: 'An example of the variable in Header Text, for the review',
	}),
	textField('Header Media Handle', 'headerHandle', {
		required: true,
		placeholder: 'e.g. 4::aW1hZ2UvcG5n',
		displayOptions: show({ header: ['DOCUMENT', 'IMAGE', 'VIDEO'] }),
		description:
			'An example file, for the review: the handle that the messaging platform returned for its upload',
	}),
	textField('Body', 'body', {
		noDataExpression: true,
		typeOptions: { rows: 4 },
		required: true,
		placeholder: 'e.g. Hello {{1}}, your ticket {{2}} is solved.',
		displayOptions: show({}),
		description: 'At most 1,024 characters. Variables are numbered: {{1}}, {{2}}.',
	}),
	entriesField({
		displayName: 'Body Examples',
		name: 'bodyExamples',
		displayOptions: show({}),
		description: 'An example of each variable in Body, for the review',
		noun: 'Example',
		saved: 'example',
		title: '$collection.item.value.value',
		values: [
			textField('Variable', 'variable', {
				placeholder: 'e.g. 1',
				description: 'Number of the variable',
			}),
			textField('Example', 'value', { placeholder: 'e.g. Nathan', description: 'A typical value' }),
		],
	}),
	textField('Footer', 'footer', {
		placeholder: 'e.g. Reply STOP to opt out',
		displayOptions: show({}),
		description: 'At most 60 characters, without variables',
	}),
	entriesField({
		displayName: 'Buttons',
		name: 'buttons',
		displayOptions: show({}),
		description: 'At most 10 buttons below the message',
		noun: 'Button',
		saved: 'button',
		title: '$collection.item.value.text',
		sortable: true,
		values: [
			choiceField('Action', 'type', {
				options: [
					{ name: 'Copy Code', value: 'COPY_CODE' },
					{ name: 'Phone Number', value: 'PHONE_NUMBER' },
					{ name: 'Quick Reply', value: 'QUICK_REPLY' },
					{ name: 'URL', value: 'URL' },
				],
				default: 'QUICK_REPLY',
				description: 'What the button does',
			}),
			textField('Code Example', 'codeExample', {
				placeholder: 'e.g. SAVE20',
				displayOptions: { show: { type: ['COPY_CODE'] } },
				description: 'An example of the code, for the review',
			}),
			textField('Phone Number', 'phoneNumber', {
				placeholder: 'e.g. 12025550143',
				displayOptions: { show: { type: ['PHONE_NUMBER'] } },
				description: 'The number to call, with country code',
			}),
			textField('Text', 'text', {
				displayOptions: { show: { type: ['PHONE_NUMBER', 'QUICK_REPLY', 'URL'] } },
				description: 'Text of the button, at most 25 characters',
			}),
			textField('URL', 'url', {
				noDataExpression: true,
				placeholder: 'e.g. https://shop.example.com/{{1}}',
				displayOptions: { show: { type: ['URL'] } },
				description: 'The URL to open. It can end with the variable {{1}}.',
			}),
			textField('URL Example', 'urlExample', {
				placeholder: 'e.g. https://shop.example.com/spring',
				displayOptions: { show: { type: ['URL'] } },
				description: 'The URL with an example of its variable, for the review',
			}),
		],
	}),
	{
		displayName: 'Components',
		name: 'components',
		type: 'json',
		default: '[]',
		required: true,
		displayOptions: { show: { defineUsing: ['json'] } },
		description:
			'Header, body, footer and buttons, as a JSON list, e.g. [{ "type": "BODY", "text": "Hello" }]',
	},
];
