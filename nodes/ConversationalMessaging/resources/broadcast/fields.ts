import type { INodeProperties } from 'n8n-workflow';
import { choiceField, numberField, textField, toggleField } from '../../descriptions/basicFields';
import { optionsCollection } from '../../descriptions/collections';
import { filePartField } from '../../descriptions/filePart';
import { numberCountryField } from '../../descriptions/numberCountry';
import { channelField } from '../../descriptions/records';
import { sendOnceField } from '../../descriptions/sendOnce';
import { requireSuccessField, waitForCompletionField } from '../../descriptions/wait';
import { categoryOptions, componentsField, templateFields } from '../../template/fields';
import { audienceFields, CSV_AUDIENCES } from './audience/kinds';
import { guardFields } from './guards';

const scheduleFields: INodeProperties[] = [
	choiceField('Send', 'scheduleType', {
		options: [
			{
				name: 'At a Date and Time',
				value: 'schedule',
				description: 'The broadcast cannot be canceled from n8n, not even before this time',
			},
			{ name: 'Now', value: 'now' },
		],
		default: 'now',
		description: 'When to send the broadcast',
	}),
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

/** Only this API has the options. Without Delivery, it is the other one, so n8n may drop them. */
const MARKETING_API: INodeProperties['displayOptions'] = {
	show: { apiType: ['marketing_messages'] },
};

const DELIVERY: INodeProperties[] = [
	choiceField('Delivery', 'apiType', {
		options: [
			{ name: 'Cloud API', value: 'cloud_api' },
			{ name: 'Marketing Messages API', value: 'marketing_messages' },
		],
		default: 'marketing_messages',
		description:
			'The platform API that delivers the broadcast. Without this option, it is the Cloud API.',
	}),
	numberField('Message Lifetime (Hours)', 'giveUpAfterHours', {
		typeOptions: { minValue: 12, maxValue: 720 },
		default: 24,
		displayOptions: MARKETING_API,
		description:
			'How long to keep trying to deliver a message, from 12 to 720 hours (30 days). Without this option, the service decides.',
	}),
	toggleField('Share Message Activity', 'messageActivitySharing', {
		displayOptions: MARKETING_API,
		description: 'Whether to let the platform use message activity to optimize delivery',
	}),
];

const CATEGORY = choiceField('Template Category', 'templateCategory', {
	options: categoryOptions,
	default: 'MARKETING',
	description: 'Category of the template',
});

/** A CSV contains the variables of each recipient, so their fields are hidden. */
const audienceTemplateFields = templateFields.map((field) =>
	field.name === 'templateVariables'
		? { ...field, displayOptions: { hide: { audience: CSV_AUDIENCES } } }
		: field,
);

const isCollection = ({ type }: INodeProperties): boolean => type === 'fixedCollection';

/** The fields of Create and Preview. Preview has all of them, so that it checks what Create would use. */
export const broadcastFields: INodeProperties[] = [
	textField('Name', 'name', {
		required: true,
		placeholder: 'e.g. Spring sale',
		description: 'Name of the broadcast',
	}),
	...audienceTemplateFields,
	...audienceFields.filter((field) => !isCollection(field)),
	...scheduleFields,
	// Collections of several operations are one field, after their other fields: see runner/properties.ts.
	...audienceFields.filter(isCollection),
	optionsCollection([
		...guardFields,
		channelField('The WhatsApp channel to send from'),
		{ ...numberCountryField, displayOptions: { hide: { '/audience': ['csv', 'segment'] } } },
		...DELIVERY,
		CATEGORY,
		{ ...componentsField, displayOptions: { hide: { '/audience': CSV_AUDIENCES } } },
		{ ...filePartField, displayOptions: { show: { '/audience': CSV_AUDIENCES } } },
		requireSuccessField,
		sendOnceField,
		waitForCompletionField,
	]),
];
