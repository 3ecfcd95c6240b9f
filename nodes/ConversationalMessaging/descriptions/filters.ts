import type { INodeProperties } from 'n8n-workflow';

/** The Options of an operation with Filters. */
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
				'Whether to ignore filters without a value. If off, an empty filter stops the node, so that it does not return too much.',
		},
	],
};
