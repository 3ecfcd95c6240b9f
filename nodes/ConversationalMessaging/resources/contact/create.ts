import type { INodeProperties } from 'n8n-workflow';
import { withoutUndefined } from '../../parameters/values';
import type { Operation } from '../../runner/operation';
import { addressErrorHint, addressFields, addressOrder, readAddress } from './address';

const fields: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Nathan Smith',
		description: 'Display name of the contact',
	},
	...addressFields,
];

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create contact',
	description: 'Create a contact with a WhatsApp ID or an Instagram ID',
	endpoint: 'POST /contacts',
	fields,
	result: 'record',
	orderingKey: addressOrder,
	request(parameters) {
		const { waId, igId } = readAddress(parameters);
		return { body: withoutUndefined({ name: parameters.required('name'), waId, igId }) };
	},
	errorHint: addressErrorHint,
};
