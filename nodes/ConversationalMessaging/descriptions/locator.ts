import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

interface LocatorSettings {
	displayName: string;
	/** After what it picks, e.g. "ticketId". */
	name: string;
	description: string;
	/** The listSearch method behind "From List". */
	search: string;
	/** One of what it lists, where the display name does not say it. */
	noun?: string;
	/** An ID to show as an example. */
	example: string;
	required?: boolean;
	/** Ways to name a record besides the list and its ID. */
	modes?: INodePropertyMode[];
}

/** A field that picks a record: from a searchable list, or by ID, which also an AI agent can fill in. */
export function locator(settings: LocatorSettings): INodeProperties {
	const noun = settings.noun ?? settings.displayName.toLowerCase();
	return {
		displayName: settings.displayName,
		name: settings.name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: settings.required ?? false,
		description: settings.description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select ${article(noun)} ${noun}...`,
				typeOptions: { searchListMethod: settings.search, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${settings.example}`,
			},
			...(settings.modes ?? []),
		],
	};
}

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? 'an' : 'a');
