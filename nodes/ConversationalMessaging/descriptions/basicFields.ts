import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';

/** What a field has besides its type and its two names. */
type Settings = Partial<Omit<INodeProperties, 'displayName' | 'name' | 'type'>> & {
	description: string;
};

/** For fields without a usual value of these settings. */
type Maker<Own extends keyof INodeProperties> = (
	displayName: string,
	name: string,
	settings: Settings & Required<Pick<INodeProperties, Own>>,
) => INodeProperties;

/** Makes fields of a type. The name on screen comes first, then the one in saved workflows, which must not change. */
const fieldsOf =
	(type: NodePropertyTypes, byDefault?: INodeProperties['default']) =>
	(displayName: string, name: string, settings: Settings): INodeProperties => ({
		displayName,
		name,
		type,
		default: byDefault,
		...settings,
	});

/** A field for text, empty by default. */
export const textField = fieldsOf('string', '');

/** A field that is on or off. As an option, it is on once it has been added. */
export const toggleField = fieldsOf('boolean', true);

export const numberField: Maker<'default'> = fieldsOf('number');

/** A field with a list of values. */
export const choiceField: Maker<'default' | 'options'> = fieldsOf('options');

/** A field for several of these values, none by default. */
export const choicesField: Maker<'options'> = fieldsOf('multiOptions', []);
