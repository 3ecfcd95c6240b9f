import type { INodeProperties } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';
import { optionsCollection } from '../../descriptions/collections';
import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { parseTemplate } from '../../template/chosen';
import { templateField } from '../../template/fields';

const fields: INodeProperties[] = [
	templateField({
		required: true,
		description: 'The template. With By ID, enter the template ID, and its name in Template Name.',
	}),
	textField('Template Name', 'templateName', {
		placeholder: 'e.g. ticket_update',
		hint: 'Required with By ID',
		description: 'Name of the template. A template from the list includes its name.',
	}),
	optionsCollection([channelField('The channel that the template belongs to')]),
];

export const remove: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete template',
	description: 'Delete a template by its ID and name',
	endpoint: 'DELETE /templates/{id}',
	fields,
	result: 'deleted',
	orderingKey: (parameters) => parameters.id('templateId'),
	request(parameters) {
		const value = parameters.id('templateId', 'required');
		const { id = value, name = parameters.text('templateName', 'required') } = parseTemplate(value);
		const channelId = parameters.collection('options').id('channelId');
		return { path: { id }, query: { name, channelId } };
	},
};
