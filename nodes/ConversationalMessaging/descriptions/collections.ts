import type { INodeProperties } from 'n8n-workflow';
import { toggleField } from './basicFields';

const collection = (
	displayName: string,
	name: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder,
	default: {},
	options,
});

/** Options in the order of their names, as n8n has them. */
export const sortedOptions = (options: readonly INodeProperties[]): INodeProperties[] =>
	[...options].sort((one, other) => one.displayName.localeCompare(other.displayName, 'en'));

export const optionsCollection = (options: readonly INodeProperties[]): INodeProperties =>
	collection('Options', 'options', 'Add Option', sortedOptions(options));

/** A condition: the option of this name has been added, and is not empty. n8n only knows options with one value in conditions. */
export const ifSet = (name: string): NonNullable<INodeProperties['displayOptions']> => ({
	show: { [name]: [{ _cnd: { exists: true } }] },
});

/** Optional fields of a new record. */
export const additionalFields = (fields: INodeProperties[]): INodeProperties =>
	collection('Additional Fields', 'additionalFields', 'Add Field', fields);

/** Fields of a record that an update can change. */
export const updateFields = (fields: INodeProperties[]): INodeProperties =>
	collection('Update Fields', 'updateFields', 'Add Field', fields);

/** Filters of a list, with the option to ignore empty ones, and other options. */
export const filterFields = (
	filters: INodeProperties[],
	options: INodeProperties[] = [],
): [filters: INodeProperties, options: INodeProperties] => [
	collection('Filters', 'filters', 'Add Filter', filters),
	optionsCollection([
		toggleField('Ignore Empty Filters', 'ignoreEmptyFilters', {
			description:
				'Whether to ignore filters without a value. If off, an empty filter stops the node instead of returning unfiltered results.',
		}),
		...options,
	]),
];
