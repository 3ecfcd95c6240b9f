import type { INodeProperties } from 'n8n-workflow';
import { choiceField, textField, toggleField } from '../../../descriptions/basicFields';
import { additionalFields, optionsCollection } from '../../../descriptions/collections';
import { igIdField, nameField, waIdField } from '../../../descriptions/contactFields';
import { numberCountryField } from '../../../descriptions/numberCountry';
import { fieldLabelField, segmentField } from '../../../descriptions/records';
import { customFieldsField, customFieldValuesField } from '../customFields';
import { customNameField, igUsernameField } from '../details';

export const fields: INodeProperties[] = [
	choiceField('Match By', 'matchBy', {
		options: [
			{
				name: 'Custom Field',
				value: 'customField',
				description: 'ID from another system, in a custom field of the contact',
			},
			{ name: 'Instagram ID', value: 'igId', description: 'Instagram user ID of the contact' },
			{ name: 'WhatsApp ID', value: 'waId', description: 'Phone number or user ID of the contact' },
		],
		default: 'waId',
		description: 'What identifies the contact of an input item',
	}),
	fieldLabelField({
		displayName: 'Key Field Label',
		name: 'keyLabel',
		required: true,
		example: 'CRM ID',
		displayOptions: { show: { matchBy: ['customField'] } },
		description: 'Label of the custom field that contains the ID',
	}),
	textField('Key Value', 'keyValue', {
		default: '={{ $json.id }}',
		displayOptions: { show: { matchBy: ['customField'] } },
		description:
			'The ID in the input item. It is compared exactly: 17 and 0017 are different. New contacts get the custom field with this value.',
	}),
	{
		...waIdField,
		default: '={{ $json.waId }}',
		displayOptions: { show: { matchBy: ['waId', 'customField'] } },
	},
	{
		...igIdField,
		default: '={{ $json.igId }}',
		displayOptions: { show: { matchBy: ['igId', 'customField'] } },
		description: 'Instagram user ID, a number',
	},
	{
		...nameField,
		default: '={{ $json.name }}',
		description: 'Display name of the contact. A new contact needs one.',
	},
	segmentField({ description: 'The static segment to add the contacts to' }),
	toggleField('Dry Run', 'dryRun', {
		description:
			'Whether to return what would be done for each item, without changing anything. Turn it off once the result is what you expect.',
	}),
	customFieldsField,
	additionalFields([customNameField, igUsernameField]),
	optionsCollection([
		numberCountryField,
		customFieldValuesField,
		toggleField('Clear Empty Values', 'clearEmpty', {
			description:
				'Whether null or empty text clears a custom field, Custom Name or Instagram Username. A value that is missing from the item never changes anything.',
		}),
		toggleField('Remove From Segment', 'removeFromSegment', {
			description:
				'Whether to remove from the segment all contacts that match no input item. The contacts themselves are kept. Nobody is removed while an item is a conflict or fails, or if the list of contacts is incomplete.',
		}),
	]),
];
