import type { INodeProperties } from 'n8n-workflow';
import { choiceField, textField, toggleField } from '../../descriptions/basicFields';
import { optionsCollection } from '../../descriptions/collections';
import { categoryOptions } from '../../template/fields';
import { channelField } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';
import { componentFields } from './componentFields';
import { readComponents } from './components';

const fields: INodeProperties[] = [
	textField('Name', 'name', {
		required: true,
		placeholder: 'e.g. ticket_update',
		description: 'Name of the template: lowercase letters, digits and underscores',
	}),
	choiceField('Category', 'category', {
		options: categoryOptions,
		default: 'UTILITY',
		description: 'What kind of message the template is for',
	}),
	textField('Language', 'language', {
		default: 'en_US',
		required: true,
		placeholder: 'e.g. pt_BR',
		description: 'Language code of the template. Each language is a template of its own.',
	}),
	...componentFields,
	optionsCollection([
		toggleField('Allow Category Change', 'allowCategoryChange', {
			description: 'Whether the messaging platform may change the category',
		}),
		channelField(
			'The channel to submit the template for. If empty, the service uses the organization’s credentials.',
		),
	]),
];

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create template',
	description:
		'Submit a template for approval. Run Sync, then Get Many, to see whether it is approved. Then you can send it.',
	endpoint: 'POST /templates',
	fields,
	result: 'record',
	orderingKey: (parameters) => parameters.text('name'),
	request(parameters) {
		const options = parameters.collection('options');
		const name = parameters.text('name', 'required');
		if (!/^[a-z0-9_]+$/.test(name)) {
			throw parameters.invalidValue('name', 'lowercase letters, digits and underscores', name);
		}
		return {
			body: {
				name,
				category: parameters.option('category', 'required'),
				language: parameters.text('language', 'required'),
				components: readComponents(parameters),
				allowCategoryChange: options.boolean('allowCategoryChange'),
				channelId: options.id('channelId'),
			},
		};
	},
};
