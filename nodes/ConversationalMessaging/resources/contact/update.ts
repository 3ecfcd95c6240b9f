import type { INodeProperties } from 'n8n-workflow';
import { compact } from '../../fields/parameters';
import { phone } from '../../fields/phone';
import { contactField } from '../../fields/records';
import type { Operation } from '../operation';
import { customNameField, igUsernameField } from './details';

const fields: INodeProperties[] = [
	contactField({ required: true }),
	{
		displayName: 'Update Fields',
		name: 'updateFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options: [
			customNameField,
			{
				displayName: 'Instagram ID',
				name: 'igId',
				type: 'string',
				default: '',
				description: 'Instagram user ID',
			},
			igUsernameField,
			{
				displayName: 'Name',
				name: 'name',
				type: 'string',
				default: '',
				description: 'Display name of the contact',
			},
			{
				displayName: 'WhatsApp ID',
				name: 'waId',
				type: 'string',
				default: '',
				placeholder: 'e.g. 12025550143',
				description: 'Phone number with country code',
			},
		],
	},
];

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update contact',
	description: 'Change names and IDs of a contact',
	endpoint: 'PATCH /contacts/{id}',
	fields,
	result: 'record',
	subject: (parameters) => parameters.choice('contactId')?.value,
	request(parameters) {
		const changes = parameters.group('updateFields');
		if (changes.isEmpty())
			throw changes.invalid(
				'There is nothing to update',
				'Add at least one field under Update Fields.',
			);
		return {
			path: { id: parameters.requiredId('contactId', 'Contact') },
			body: compact({
				name: changes.text('name'),
				customName: changes.text('customName'),
				waId: phone(changes.text('waId')),
				igId: changes.text('igId'),
				igUsername: changes.text('igUsername'),
			}),
		};
	},
};
