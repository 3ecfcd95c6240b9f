import type { INodeProperties } from 'n8n-workflow';
import { optionsCollection } from '../../descriptions/collections';
import { filePartField } from '../../descriptions/filePart';
import { channelField, segmentField } from '../../descriptions/records';
import { sendOnceField } from '../../descriptions/sendOnce';
import { componentsField, templateFields } from '../../descriptions/template';
import { requireSuccessField, waitForCompletionField } from '../../descriptions/wait';
import { guardFields } from './guards';

/** Audiences with a CSV, which contains the variables of each recipient. */
export const CSV_AUDIENCES = ['csv', 'csvItems'];

/** Audiences to which all input items contribute: they make one broadcast. */
export const ONE_BROADCAST_AUDIENCES = ['items', 'csvItems'];

/** The column of a template's CSV that likely contains the phone numbers. Its name is undocumented. */
export const DEFAULT_PHONE_COLUMN = 'phone';

export const audienceFields: INodeProperties[] = [
	{
		displayName: 'Audience',
		name: 'audience',
		type: 'options',
		options: [
			{
				name: 'CSV File',
				value: 'csv',
				description: 'A CSV file in a binary field, with one column per variable, sent unchanged',
			},
			{
				name: 'CSV From Input Items',
				value: 'csvItems',
				description: 'A CSV made from all input items, with the template’s columns',
			},
			{ name: 'Phone Numbers', value: 'list', description: 'Phone numbers that you enter here' },
			{
				name: 'Phone Numbers From Input Items',
				value: 'items',
				description: 'One broadcast to the phone numbers of all input items',
			},
			{ name: 'Segment', value: 'segment', description: 'All contacts in a segment' },
		],
		default: 'segment',
		description: 'Who receives the broadcast',
		builderHint: {
			propertyHint:
				'For numbers from earlier nodes use items, or csvItems if each recipient has its own values for the template’s variables. With list, each input item makes its own broadcast.',
		},
	},
	{
		...segmentField({
			required: true,
			description: 'The segment whose contacts receive the broadcast',
		}),
		displayOptions: { show: { audience: ['segment'] } },
	},
	{
		displayName: 'Phone Numbers',
		name: 'recipients',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		required: true,
		placeholder: 'e.g. 12025550143, 12025550144',
		displayOptions: { show: { audience: ['list'] } },
		description:
			'Phone numbers with country code, separated by commas or line breaks, or a list from an expression. User IDs of customers who hide their number, such as US.13491208655302741918, are sent unchanged; some templates are delivered to phone numbers only.',
	},
	{
		displayName: 'Phone Number',
		name: 'recipient',
		type: 'string',
		default: '={{ $json.waId }}',
		required: true,
		displayOptions: { show: { audience: ['items'] } },
		description:
			'The phone number in each input item. One broadcast is sent to all of them. User IDs such as US.13491208655302741918 are sent unchanged; some templates are delivered to phone numbers only.',
	},
	{
		displayName: 'Phone Column',
		name: 'phoneColumn',
		type: 'string',
		default: DEFAULT_PHONE_COLUMN,
		required: true,
		displayOptions: { show: { audience: ['csvItems'] } },
		description:
			'The column of the template’s CSV that contains the phone numbers; Download CSV Template shows the columns. Each input item has its number in a field of this name. User IDs such as US.13491208655302741918 are sent unchanged; some templates are delivered to phone numbers only.',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: { show: { audience: ['csv'] } },
		description: 'Name of the binary field that contains the CSV file',
	},
];

export const scheduleFields: INodeProperties[] = [
	{
		displayName: 'Send',
		name: 'scheduleType',
		type: 'options',
		options: [
			{ name: 'Now', value: 'now' },
			{ name: 'At a Date and Time', value: 'schedule' },
		],
		default: 'now',
		description: 'When to send the broadcast',
	},
	{
		displayName: 'Date and Time',
		name: 'sendAt',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { scheduleType: ['schedule'] } },
		description:
			'When to send it, in the workflow’s time zone. Expressions can return e.g. $now.plus({ days: 1 }), ISO text or milliseconds.',
	},
];

/** Not hidden for the other API: n8n drops hidden options silently. */
const DELIVERY: INodeProperties[] = [
	{
		displayName: 'Delivery',
		name: 'apiType',
		type: 'options',
		options: [
			{ name: 'Cloud API', value: 'cloud_api' },
			{ name: 'Marketing Messages API', value: 'marketing_messages' },
		],
		default: 'marketing_messages',
		description:
			'The platform API that delivers the broadcast. Without this option, it is the Cloud API.',
	},
	{
		displayName: 'Give Up After (Hours)',
		name: 'giveUpAfterHours',
		type: 'number',
		typeOptions: { minValue: 12, maxValue: 720 },
		default: 24,
		description:
			'With the Marketing Messages API: how long to keep trying to deliver a message, from 12 to 720 hours (30 days). Without this option, the service decides.',
	},
	{
		displayName: 'Share Message Activity',
		name: 'messageActivitySharing',
		type: 'boolean',
		default: true,
		description:
			'Whether to let the platform use message activity to optimize delivery. Only with the Marketing Messages API.',
	},
];

const CATEGORY: INodeProperties = {
	displayName: 'Template Category',
	name: 'templateCategory',
	type: 'options',
	options: [
		{ name: 'Authentication', value: 'AUTHENTICATION' },
		{ name: 'Marketing', value: 'MARKETING' },
		{ name: 'Utility', value: 'UTILITY' },
	],
	default: 'MARKETING',
	description: 'Category of the template',
};

/** A CSV contains the variables of each recipient, so their fields are hidden. */
const audienceTemplateFields = templateFields.map((field) =>
	field.name === 'templateVariables'
		? { ...field, displayOptions: { hide: { audience: CSV_AUDIENCES } } }
		: field,
);

/** Preview has all that decides what Create sends. */
const previewOptions = [
	guardFields.allowIncompleteExclusion,
	channelField('The WhatsApp channel to send from'),
	...DELIVERY,
	guardFields.excludeSegment,
	guardFields.maxRecipients,
	guardFields.quietHours,
	guardFields.timeZone,
	guardFields.skipRepeated,
	CATEGORY,
	{ ...componentsField, displayOptions: { hide: { '/audience': CSV_AUDIENCES } } },
];

const createOptions = [
	...previewOptions,
	filePartField,
	requireSuccessField,
	sendOnceField,
	waitForCompletionField,
];

const fieldsWith = (options: INodeProperties[]): INodeProperties[] => [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Spring sale',
		description: 'Name of the broadcast',
	},
	...audienceTemplateFields,
	...audienceFields,
	...scheduleFields,
	optionsCollection(options),
];

export const createFields = fieldsWith(createOptions);
export const previewFields = fieldsWith(previewOptions);
