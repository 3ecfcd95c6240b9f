import type { Template } from '../records.mts';
import { invalid } from '../replies.mts';

/**
 * The components of templates and the variables of messages. The document calls both arrays of anything; the sandbox
 * reads them in the form of the messaging platform, and accepts nothing that does not fit (`x-undocumented`).
 */
interface Component {
	type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS';
	format: string;
	text: string;
	buttons: Button[];
}

interface Button {
	type: string;
	url: string;
}

const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'];
const MEDIA = ['IMAGE', 'VIDEO', 'DOCUMENT'];

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const upper = (value: unknown): string => (typeof value === 'string' ? value.toUpperCase() : '');
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const isFilled = (value: unknown): boolean => textIn(value).trim() !== '';

function componentsOf(components: readonly unknown[]): Component[] {
	return components.filter(isObject).map(({ type, format, text, buttons }) => ({
		type: upper(type) as Component['type'],
		format: format === undefined ? 'TEXT' : upper(format),
		text: textIn(text),
		buttons: Array.isArray(buttons) ? buttons.map(buttonOf) : [],
	}));
}

function buttonOf(button: unknown): Button {
	const { type, url }: Fields = isObject(button) ? button : {};
	return { type: upper(type), url: textIn(url) };
}

const placeholders = (text: string): string[] => [
	...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] as string)),
];

/** Whether a button has a value of its own in every message: the end of its URL, or a code. */
const hasValue = ({ type, url }: Button): boolean =>
	type === 'COPY_CODE' || type === 'OTP' || placeholders(url).length > 0;

/** @throws HttpError 400 if these are not the components of a template */
export function checkTemplate(components: readonly unknown[]): void {
	const read = componentsOf(components);
	if (read.length < components.length || read.some(({ type }) => !TYPES.includes(type)))
		throw invalid(`A component must be one of ${TYPES.join(', ')}`);
	if (new Set(read.map(({ type }) => type)).size < read.length)
		throw invalid('A template has at most one component of each type');
	if (!read.some(({ type }) => type === 'BODY')) throw invalid('A template needs a body');
	for (const { type, format, text, buttons } of read) {
		if (format !== 'TEXT' && !(type === 'HEADER' && MEDIA.includes(format)))
			throw invalid(`The ${type} cannot have the format ${format}`);
		if (type !== 'BUTTONS' && format === 'TEXT' && !isFilled(text))
			throw invalid(`The ${type} has no text`);
		if (type === 'BUTTONS' && (buttons.length === 0 || buttons.some((button) => !button.type)))
			throw invalid('BUTTONS needs a list of buttons with a type');
	}
}

/** The columns of a CSV audience after the phone number: one for each variable of the template. */
export function columnsOf({ components }: Template): string[] {
	return componentsOf(components).flatMap(({ type, format, text, buttons }) => {
		if (format !== 'TEXT') return [`header_${format.toLowerCase()}`];
		if (type === 'HEADER') return placeholders(text).map((name) => `header_${name}`);
		if (type === 'BODY') return placeholders(text);
		return buttons.flatMap((button, index) => (hasValue(button) ? [`button_${index + 1}`] : []));
	});
}

/**
 * Checks the variables of a message or a broadcast against the template.
 *
 * @throws HttpError 400 that names the first component that does not fit
 */
export function checkVariables(template: Template, given: readonly unknown[]): void {
	const components = componentsOf(template.components);
	const rest = [...given];
	/** Takes the given component with this type, and index if it is a button's. */
	const take = (type: string, index?: number): Fields | undefined => {
		const place = rest.findIndex(
			(candidate) =>
				isObject(candidate) &&
				upper(candidate.type) === type &&
				(index === undefined || String(candidate.index) === String(index)),
		);
		return place < 0 ? undefined : (rest.splice(place, 1)[0] as Fields);
	};
	for (const { type, format, text, buttons } of components) {
		if (format !== 'TEXT') checkMedia(take('HEADER'), format);
		else if (type === 'HEADER' || type === 'BODY')
			checkTexts(type.toLowerCase(), take(type), placeholders(text));
		else if (type === 'BUTTONS') {
			buttons.forEach((button, index) => {
				const component = take('BUTTON', index);
				if (component || hasValue(button)) checkButton(button, index, component);
			});
		}
	}
	if (rest.length > 0)
		throw invalid(`The template has no variables for the component ${JSON.stringify(rest[0])}`);
}

function parametersOf(component: Fields | undefined): Fields[] {
	if (component === undefined) return [];
	const { parameters } = component;
	if (!Array.isArray(parameters) || !parameters.every(isObject))
		throw invalid('The parameters of a template component must be a list of objects');
	return parameters;
}

function checkTexts(place: string, component: Fields | undefined, names: string[]): void {
	const parameters = parametersOf(component);
	if (parameters.length !== names.length)
		throw invalid(
			`Template ${place} has ${names.length} variables, ${parameters.length} were given`,
		);
	if (parameters.some(({ type, text }) => type !== 'text' || !isFilled(text)))
		throw invalid(`Every variable of the template ${place} must be a text`);
	const named = names.filter((name) => !/^\d+$/.test(name));
	const missing = named.find((name) => !parameters.some((given) => given.parameter_name === name));
	if (missing !== undefined)
		throw invalid(`The variable ${missing} of the template ${place} is missing`);
}

function checkMedia(component: Fields | undefined, format: string): void {
	const [parameter, ...more] = parametersOf(component);
	const kind = format.toLowerCase();
	const media = parameter?.[kind];
	const isMedia = isObject(media) && [media.link, media.id].some(isFilled);
	if (more.length > 0 || parameter?.type !== kind || !isMedia)
		throw invalid(`The template header needs one ${kind}, by link or id`);
}

/** The kind of a button in a message, the type of its one parameter, and its field: called like that type. */
const BUTTON_VALUES: Record<string, { subType: string; parameter: string } | undefined> = {
	URL: { subType: 'url', parameter: 'text' },
	OTP: { subType: 'url', parameter: 'text' },
	COPY_CODE: { subType: 'copy_code', parameter: 'coupon_code' },
	QUICK_REPLY: { subType: 'quick_reply', parameter: 'payload' },
};

function checkButton({ type }: Button, index: number, component: Fields | undefined): void {
	const value = BUTTON_VALUES[type];
	const [parameter, ...more] = parametersOf(component);
	const fits =
		value && component?.sub_type === value.subType && parameter?.type === value.parameter;
	if (!fits || more.length > 0 || !isFilled(parameter[value.parameter]))
		throw invalid(`Button ${index + 1} of the template needs one value of its type ${type}`);
}
