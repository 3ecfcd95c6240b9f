import type { INodeProperties } from 'n8n-workflow';
import { pathParameter } from '../../descriptions/pathParameter';
import { contactField } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import { contactKey } from '../../parameters/address';

/** The contact of the field. */
export const contactFieldParameter = pathParameter(
	contactField({
		required: true,
		description: 'The contact with the field. With By ID, enter the contact ID.',
	}),
	undefined,
	contactKey,
);

export const labelField: INodeProperties = {
	displayName: 'Label',
	name: 'label',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. City',
	description: 'Label of the field',
};

export const valueField: INodeProperties = {
	displayName: 'Value',
	name: 'value',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Berlin',
	description: 'Value of the field. Flows can read it.',
};

export const fieldIdField: INodeProperties = {
	displayName: 'Field ID',
	name: 'fieldId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. cm4k2w8qx0001v8l4a1b2c3d4',
	description: 'ID of the field, as returned with the contact',
};

/** The field in the path of an endpoint. @throws NodeOperationError if an ID is missing */
export const fieldPath = (parameters: Parameters) => ({
	...contactFieldParameter.path(parameters),
	fieldId: parameters.requiredId('fieldId'),
});
