import type { INodeProperties } from 'n8n-workflow';

/** The Options of an operation or a trigger that has Filters. */
export const filterOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Ignore Empty Filters',
			name: 'ignoreEmptyFilters',
			type: 'boolean',
			default: true,
			description:
				'Whether to leave out a filter whose value is empty. Otherwise, an empty filter stops the node, because without it the result would be wider than intended.',
		},
	],
};
