import type { INodeProperties } from 'n8n-workflow';

const show = (conditions: Record<string, string[]>): INodeProperties['displayOptions'] => ({
	show: { defineUsing: ['fields'], ...conditions },
});

/**
 * What a template consists of, for `readComponents`.
 *
 * A text with variables is no expression: n8n makes one of every text with "{{1}}", and its value is 1.
 */
export const componentFields: INodeProperties[] = [
	{
		displayName: 'Define Using',
		name: 'defineUsing',
		type: 'options',
		options: [
			{ name: 'Fields', value: 'fields', description: 'Header, body, footer and buttons' },
			{ name: 'JSON', value: 'json', description: 'For everything else, such as a carousel' },
		],
		default: 'fields',
		description: 'How to define the content of the template',
	},
	{
		displayName: 'Header',
		name: 'header',
		type: 'options',
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
	},
	{
		displayName: 'Header Text',
		name: 'headerText',
		noDataExpression: true,
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Your order {{1}}',
		displayOptions: show({ header: ['TEXT'] }),
		description: 'At most 60 characters, with at most one variable, {{1}}',
	},
	{
		displayName: 'Header Example',
		name: 'headerExample',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1042',
		displayOptions: show({ header: ['TEXT'] }),
		description: 'An example of the variable in Header Text, for the review',
	},
	{
		displayName: 'Header Media Handle',
		name: 'headerHandle',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 4::aW1hZ2UvcG5n',
		displayOptions: show({ header: ['DOCUMENT', 'IMAGE', 'VIDEO'] }),
		description:
			'An example file, for the review: the handle that the messaging platform returned for its upload',
	},
	{
		displayName: 'Body',
		name: 'body',
		noDataExpression: true,
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Hello {{1}}, your ticket {{2}} is solved.',
		displayOptions: show({}),
		description: 'At most 1,024 characters. Variables are numbered: {{1}}, {{2}}.',
	},
	{
		displayName: 'Body Examples',
		name: 'bodyExamples',
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			fixedCollection: { itemTitle: '={{ $collection.item.value.value || "Example" }}' },
		},
		placeholder: 'Add Example',
		default: {},
		displayOptions: show({}),
		options: [
			{
				displayName: 'Example',
				name: 'example',
				values: [
					{
						displayName: 'Variable',
						name: 'variable',
						type: 'string',
						default: '',
						placeholder: 'e.g. 1',
						description: 'Number of the variable',
					},
					{
						displayName: 'Example',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. Nathan',
						description: 'A typical value',
					},
				],
			},
		],
		description: 'An example of each variable in Body, for the review',
	},
	{
		displayName: 'Footer',
		name: 'footer',
		type: 'string',
		default: '',
		placeholder: 'e.g. Reply STOP to opt out',
		displayOptions: show({}),
		description: 'At most 60 characters, without variables',
	},
	{
		displayName: 'Buttons',
		name: 'buttons',
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			sortable: true,
			fixedCollection: { itemTitle: '={{ $collection.item.value.text || "Button" }}' },
		},
		placeholder: 'Add Button',
		default: {},
		displayOptions: show({}),
		options: [
			{
				displayName: 'Button',
				name: 'button',
				values: [
					{
						displayName: 'Action',
						name: 'type',
						type: 'options',
						options: [
							{ name: 'Copy Code', value: 'COPY_CODE' },
							{ name: 'Phone Number', value: 'PHONE_NUMBER' },
							{ name: 'Quick Reply', value: 'QUICK_REPLY' },
							{ name: 'URL', value: 'URL' },
						],
						default: 'QUICK_REPLY',
						description: 'What the button does',
					},
					{
						displayName: 'Code Example',
						name: 'codeExample',
						type: 'string',
						default: '',
						placeholder: 'e.g. SAVE20',
						displayOptions: { show: { type: ['COPY_CODE'] } },
						description: 'An example of the code, for the review',
					},
					{
						displayName: 'Phone Number',
						name: 'phoneNumber',
						type: 'string',
						default: '',
						placeholder: 'e.g. 12025550143',
						displayOptions: { show: { type: ['PHONE_NUMBER'] } },
						description: 'The number to call, with country code',
					},
					{
						displayName: 'Text',
						name: 'text',
						type: 'string',
						default: '',
						displayOptions: { show: { type: ['PHONE_NUMBER', 'QUICK_REPLY', 'URL'] } },
						description: 'Text of the button, at most 25 characters',
					},
					{
						displayName: 'URL',
						name: 'url',
						noDataExpression: true,
						type: 'string',
						default: '',
						placeholder: 'e.g. https://shop.example.com/{{1}}',
						displayOptions: { show: { type: ['URL'] } },
						description: 'The URL to open. It can end with the variable {{1}}.',
					},
					{
						displayName: 'URL Example',
						name: 'urlExample',
						type: 'string',
						default: '',
						placeholder: 'e.g. https://shop.example.com/spring',
						displayOptions: { show: { type: ['URL'] } },
						description: 'The URL with an example of its variable, for the review',
					},
				],
			},
		],
		description: 'At most 10 buttons below the message',
	},
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
