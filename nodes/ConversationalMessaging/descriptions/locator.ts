import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

export interface LocatorSettings
	extends Pick<
		INodeProperties,
		| 'builderHint'
		| 'description'
		| 'displayName'
		| 'displayOptions'
		| 'name'
		| 'required'
		| 'typeOptions'
	> {
	description: string;
	/** The listSearch method behind "From List". */
	search: string;
	/** What one entry is called, if not as the display name. */
	noun?: string;
	example: string;
	/** Differences from a plain mode By ID. n8n's editor shows this name for every mode `id`, whatever its displayName. */
	byId?: Partial<INodePropertyMode>;
	/** Besides the list and the ID. */
	modes?: INodePropertyMode[];
}

/** A field that picks a record: from a searchable list, or by ID, which AI agents can fill in too. */
export function locator(settings: LocatorSettings): INodeProperties {
	const { search, example, byId, modes = [], ...field } = settings;
	const { noun = field.displayName.toLowerCase(), ...own } = field;
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: false,
		builderHint: {
			propertyHint:
				'Without a known ID, use mode list with an empty value: the user then picks from the list. Use mode id for an ID from the user or an earlier node. Never invent an ID.',
		},
		...own,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Select ${article(noun)} ${noun}...`,
				typeOptions: { searchListMethod: search, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${example}`, ...byId },
			...modes,
		],
	};
}

/** Spread, because n8n's lint would take the mode for a field without a default. */
const TEXT = { type: 'string' } as const;

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? 'an' : 'a');

/** Another mode of a picker, in which a text is entered. @param name in saved workflows: it must not change */
export const textMode = (
	displayName: string,
	name: string,
	settings: Pick<INodePropertyMode, 'hint' | 'placeholder'>,
): INodePropertyMode => ({ displayName, name, ...TEXT, ...settings });
