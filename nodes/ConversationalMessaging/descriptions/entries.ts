import type { INodeProperties } from 'n8n-workflow';

interface EntriesSettings
	extends Pick<
		INodeProperties,
		'description' | 'displayName' | 'displayOptions' | 'name' | 'required'
	> {
	/** What an entry is called, also on the button that adds one. */
	noun: string;
	/** The name under which n8n saves the entries. */
	saved: string;
	/** The title of an entry, as an expression about `$collection`; without a value, it is the noun. */
	title: string;
	sortable?: true;
	values: INodeProperties[];
}

/** A list of entries of one kind: `groups` of a reader reads them. */
export function entriesField(settings: EntriesSettings): INodeProperties {
	const { noun, saved, title, sortable, values, ...field } = settings;
	return {
		...field,
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			...(sortable && { sortable }),
			fixedCollection: { itemTitle: `={{ ${title} || "${noun}" }}` },
		},
		placeholder: `Add ${noun}`,
		default: {},
		options: [{ displayName: noun, name: saved, values }],
	};
}
