import type { INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { textField, toggleField } from '../../descriptions/basicFields';
import { additionalFields } from '../../descriptions/collections';
import type { Operation } from '../../runner/operation';

const fields: INodeProperties[] = [
	textField('Name', 'name', {
		required: true,
		placeholder: 'e.g. Newsletter',
		description: 'Name of the segment. It must be unique in the organization.',
	}),
	toggleField('Dynamic', 'isDynamic', {
		default: false,
		description: 'Whether rules decide which contacts are in the segment',
	}),
	{
		displayName: 'Rules',
		name: 'rules',
		type: 'json',
		default: '',
		required: true,
		displayOptions: { show: { isDynamic: [true] } },
		description: 'Rules as a JSON object. The service does not document their structure.',
	},
	additionalFields([
		textField('Description', 'description', { description: 'What the segment is for' }),
	]),
];

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create segment',
	description: 'Create a static segment, or a dynamic one with rules',
	endpoint: 'POST /segments',
	fields,
	result: 'record',
	orderingKey: (parameters) => parameters.text('name'),
	request(parameters) {
		const isDynamic = parameters.boolean('isDynamic', 'required');
		return {
			body: {
				name: parameters.text('name', 'required'),
				description: parameters.collection('additionalFields').text('description', 'mayBeEmpty'),
				isDynamic: isDynamic || undefined,
				rules: isDynamic ? parameters.object('rules', 'required') : undefined,
			},
		};
	},
	errorHint: (status) =>
		status === 409
			? shown`A segment with this name already exists. Choose another name, or use that segment.`
			: undefined,
};
