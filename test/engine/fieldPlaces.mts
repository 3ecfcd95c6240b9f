import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

/** One place of an operation for a value: a field, a field of a collection, or a locator in one mode. */
export interface FieldPlace {
	/** Its path: "filters.status", "ticketId by id". */
	name: string;
	/** Its label on screen. */
	displayNames: string[];
	field: INodeProperties;
	/** The collection that it belongs to. */
	collection?: string;
	/** The parameters with a value put in. */
	put: (parameters: INodeParameters, value: string) => INodeParameters;
	/** The parameters without it. */
	leaveOut: (parameters: INodeParameters) => INodeParameters;
	/** A typical value of the field; undefined if it needs a specific one. */
	sane?: string;
}

/** A way to put a value into a field. */
interface Form {
	suffix: string;
	put: (value: string) => unknown;
	labels?: string[];
	/** The field that gets the value, if it is one of several in an entry. */
	inner?: INodeProperties;
}

/** Every place of these fields, in the order of the editor. */
export function placesOf(fields: INodeProperties[]): FieldPlace[] {
	return fields.flatMap((field): FieldPlace[] => {
		if (field.type === 'notice') return [];
		const shown = whatShows(field);
		if (field.type === 'collection') {
			return ((field.options ?? []) as INodeProperties[]).flatMap((option) =>
				forms(option).map(({ suffix, put, labels = [], inner = option }) => ({
					name: `${field.name}.${option.name}${suffix}`,
					displayNames: [option.displayName, field.displayName, ...labels],
					field: option,
					collection: field.name,
					put: (parameters, value) => ({
						...parameters,
						...shown,
						...whatShows(option),
						...whatShows(inner),
						[field.name]: {
							...whatShowsBeside(option, field),
							...(parameters[field.name] as INodeParameters | undefined),
							[option.name]: put(value) as INodeParameters,
						},
					}),
					leaveOut: (parameters) => ({
						...parameters,
						[field.name]: without(parameters[field.name] as INodeParameters, option.name),
					}),
					sane: saneOf(option),
				})),
			);
		}
		return forms(field).map(({ suffix, put, labels = [] }) => ({
			name: `${field.name}${suffix}`,
			displayNames: [field.displayName, ...labels],
			field,
			put: (parameters, value) => ({
				...parameters,
				...shown,
				[field.name]: put(value) as INodeParameters,
			}),
			leaveOut: (parameters) => without(parameters, field.name),
			sane: saneOf(field),
		}));
	});
}

const without = (parameters: INodeParameters, name: string): INodeParameters =>
	Object.fromEntries(Object.entries(parameters).filter(([other]) => other !== name));

/** A value for every required field: n8n does not run a node without them. */
export const requiredOf = (fields: INodeProperties[]): INodeParameters =>
	Object.fromEntries(
		fields
			.filter(({ required }) => required)
			.map((field) => [
				field.name,
				typeof field.default === 'string' && field.default !== ''
					? field.default
					: forms(field)[0]?.put(saneOf(field) ?? ''),
			]),
	) as INodeParameters;

/** The ways to put a value into a field. */
function forms(field: INodeProperties): Form[] {
	switch (field.type) {
		case 'resourceLocator':
			return [
				...(field.modes ?? []).map(({ name }) => ({
					suffix: ` by ${name}`,
					put: (value: string) => ({ __rl: true, mode: name, value }),
				})),
				{ suffix: ' as a plain value', put: (value) => value },
			];
		case 'resourceMapper':
			// Only shown.
			if (field.name === 'templateText') return [];
			return [
				{
					suffix: ' of the template',
					labels: ['Body {{name}}'],
					put: (value) => ({
						mappingMode: 'defineBelow',
						value: { 'body:name': value },
						schema: [{ id: 'body:name', displayName: 'Body {{name}}', required: true }],
					}),
				},
			];
		case 'fixedCollection': {
			const [group] = (field.options ?? []) as INodePropertyCollection[];
			const values = group?.values ?? [];
			const typical = Object.fromEntries(values.map((inner) => [inner.name, typicalOf(inner)]));
			const hasSeveral = field.typeOptions?.multipleValues === true;
			return values.map((inner) => ({
				suffix: `.${inner.name}`,
				inner,
				labels: [
					...values.map(({ displayName }) => displayName),
					field.displayName,
					'The column city',
					'The custom field city',
					...(field.name === 'fallbackVariables' ? ['Fallback template variable'] : []),
				],
				put: (value) => {
					const entry = { ...typical, ...whatShows(inner), [inner.name]: value };
					return { [group?.name ?? '']: hasSeveral ? [entry] : entry };
				},
			}));
		}
		default:
			return [{ suffix: '', put: (value) => value }];
	}
}

/** A value of a field inside a collection, while another of its fields is tested. */
const typicalOf = (field: INodeProperties): string =>
	field.type === 'resourceLocator' || (field.type === 'string' && field.default === '')
		? 'city'
		: (field.default as string) || (saneOf(field) ?? 'city');

/** The values of other fields that a field is shown with. */
export function whatShows({ displayOptions }: INodeProperties): INodeParameters {
	return Object.fromEntries(
		Object.entries(displayOptions?.show ?? {}).map(([name, values]) => [
			name.replace('/', ''),
			values?.[0],
		]),
	) as INodeParameters;
}

/** The values of other options that an option is shown with. */
function whatShowsBeside(option: INodeProperties, collection: INodeProperties): INodeParameters {
	const siblings = (collection.options ?? []) as INodeProperties[];
	const names = Object.keys(whatShows(option)).filter((name) => name !== option.name);
	const beside = siblings.filter(({ name }) => names.includes(name));
	return Object.fromEntries(
		beside.map((sibling) => [sibling.name, forms(sibling)[0]?.put(typicalOf(sibling))]),
	) as INodeParameters;
}

function saneOf({ name, type, options, default: standard }: INodeProperties): string | undefined {
	if (name === 'mediaUrl') return 'https://cdn.example.com/a.png';
	switch (type) {
		case 'options':
			return String((options as { value: unknown }[] | undefined)?.[0]?.value);
		case 'boolean':
			return '={{ true }}';
		case 'number':
			return '={{ 7 }}';
		case 'dateTime':
			return '2100-01-01T09:00:00';
		case 'json':
			return JSON.stringify(standard).startsWith('"{')
				? '{ "channel": "WHATSAPP" }'
				: '[{ "type": "body" }]';
		case 'resourceMapper':
		case 'fixedCollection':
			return undefined;
		default:
			return '7';
	}
}
