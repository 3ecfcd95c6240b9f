import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../api/base/text';
import { isRecord } from '../api/response/response';

/** A value that a template needs: a variable of its text, or a part such as the cards of a carousel. */
interface TemplateVariable {
	/**
	 * It says what kind it is, so that a saved workflow can run without looking up the template again: "header:text:1",
	 * "header:image", "body:name", "button:0:url", "carousel".
	 */
	id: string;
	/** Its name in messages: "2", "Header image URL or ID", "Button “Shop”, end of URL". */
	label: string;
	/** Its name on screen. For a number, with the words around it: "2: is … off until Sunday." */
	title: string;
	/** What it is inside the text of the template: "2", "end of URL". */
	blank: string;
	/** A value that was given when the template was submitted. */
	example?: string;
	/** A quick reply does not need a payload; everything else is required. */
	required: boolean;
	/** Whether it has a field. Of other parts, only Template Components can contain the value. */
	hasField: boolean;
}

/** More than a text of the platform's greatest length has room for. */
export const MAX_VARIABLES = 500;

/** A list of records in whatever the service returned. */
export const recordsIn = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** What something is, in lower case: the service may return "BODY" or "body". */
export const kindOf = (value: unknown): string => textOf(value).toLowerCase();

/** Whether components have the messaging platform's usual form: with a body, as every template has one. */
export const showsVariables = (components: unknown): boolean =>
	recordsIn(components).some(
		({ type, text }) => kindOf(type) === 'body' && typeof text === 'string',
	);

/** The first MAX_VARIABLES, from components in the messaging platform's usual form; none for any other form. */
export function variablesOf(components: unknown): TemplateVariable[] {
	const variables: TemplateVariable[] = [];
	if (!showsVariables(components)) return variables;
	for (const component of recordsIn(components)) {
		for (const variable of componentVariables(component))
			if (variables.push(variable) === MAX_VARIABLES) return variables;
	}
	return variables;
}

/** The parts of a template without a field, for messages: "carousel, location header"; empty if there are none. */
export const partsWithoutField = (variables: TemplateVariable[]): string =>
	[...new Set(variables.flatMap(({ hasField, label }) => (hasField ? [] : label)))].join(', ');

/** The next step for a template with parts without a field. */
export const ADD_COMPONENTS =
	'Add the option Template Components, with an entry for each of them and for each variable.';

const HEADER_MEDIA = ['image', 'video', 'document'];

/** The medium of a header that a variable is; undefined for other variables. */
export const mediumOf = (id: string): string | undefined =>
	HEADER_MEDIA.find((medium) => id === `header:${medium}`);

/** What needs no value. A kind that is not known may need one. */
const FIXED_COMPONENTS = ['', 'footer', 'call_permission_request'];

function* componentVariables(component: IDataObject): Generator<TemplateVariable> {
	const type = kindOf(component.type);
	if (type === 'body') yield* textVariables(component, 'body', 'body:', '');
	else if (type === 'header') yield* headerVariables(component);
	else if (type === 'buttons') yield* buttonVariables(component.buttons);
	else if (!FIXED_COMPONENTS.includes(type)) yield part(type, type);
}

const part = (id: string, name: string): TemplateVariable => {
	const label = name.replace(/_/g, ' ');
	return { id, label, title: label, blank: label, required: true, hasField: false };
};

const field = (
	id: string,
	label: string,
	{ blank, example, title = label }: { blank: string; example?: unknown; title?: string },
): TemplateVariable => {
	const text = textOf(example) || undefined;
	return { id, label, title, blank, example: text, required: true, hasField: true };
};

function* headerVariables(header: IDataObject): Generator<TemplateVariable> {
	const format = kindOf(header.format ?? 'text');
	const id = `header:${format}`;
	if (format === 'text') yield* textVariables(header, 'header', 'header:text:', 'Header ');
	else if (mediumOf(id)) yield field(id, `Header ${format} URL or ID`, { blank: format });
	else yield part(id, `${format} header`);
}

/** The variables in "Hello {{1}}, {{ name }}": their names and places, in order, without duplicates. */
function* placeholders(text: string): Generator<{ name: string; start: number; end: number }> {
	const names = new Set<string>();
	for (const { 0: placeholder, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
		if (!names.has(name)) yield { name, start: index, end: index + placeholder.length };
		names.add(name);
	}
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

function* textVariables(
	{ text, example }: IDataObject,
	place: 'body' | 'header',
	id: string,
	label: string,
): Generator<TemplateVariable> {
	const examples = textExamples(example, place);
	const whole = textOf(text);
	for (const { name, start, end } of placeholders(whole)) {
		const before = whole.slice(Math.max(0, start - MAX_AROUND), start);
		const after = whole.slice(end, end + MAX_AROUND);
		const short = `${label}${name}`;
		const title = /^\d+$/.test(name) ? titleOf(short, before, after) : short;
		yield field(`${id}${name}`, short, { blank: name, example: examples.get(name), title });
	}
}

/** So many characters before and after a variable are read for its title. */
const MAX_AROUND = 200;

/** n8n's editor has room for this many characters, and cuts off the others without a tooltip. */
const MAX_TITLE = 25;

/** "1: Hello …, your ticket": the line around a variable, with other variables as "[2]", as far as there is room. */
function titleOf(label: string, before: string, after: string): string {
	const plain = (text: string): string[] =>
		Array.from(text.replace(PLACEHOLDER, '[$1]').replace(/\s+/g, ' '));
	const ahead = plain(/[^\r\n]*$/.exec(before)?.[0].trimStart() ?? '').reverse();
	const behind = plain(/^[^\r\n]*/.exec(after)?.[0].trimEnd() ?? '');
	const room = MAX_TITLE - `${label}: …`.length;
	const start = wordsWithin(ahead, Math.max(Math.floor(room / 2), room - behind.length));
	const end = wordsWithin(behind, room - start.length);
	const words = [...start.reverse(), '…', ...end].join('');
	return words === '…' ? label : `${label}: ${words}`;
}

function wordsWithin(characters: string[], max: number): string[] {
	if (characters.length <= max) return characters;
	const end = characters.lastIndexOf(' ', max);
	return characters.slice(0, end > 0 ? end : max);
}

/**
 * The examples of text variables by name, in the messaging platform's usual form: `{ body_text: [["Ann", "20%"]] }`,
 * `{ header_text: ["Ann"] }`, `{ body_text_named_params: [{ param_name: "name", example: "Ann" }] }`.
 */
function textExamples(example: unknown, place: 'body' | 'header'): Map<string, unknown> {
	if (!isRecord(example)) return new Map();
	const named = recordsIn(example[`${place}_text_named_params`]);
	return new Map([
		...[example[`${place}_text`]].flat(2).map((value, n): [string, unknown] => [`${n + 1}`, value]),
		...named.map((entry): [string, unknown] => [textOf(entry.param_name), entry.example]),
	]);
}

/** What a button needs, by its kind: an empty text for nothing. A kind that is not here may need something. */
const BUTTONS = new Map([
	['url', 'end of URL'],
	['quick_reply', 'payload'],
	['copy_code', 'code'],
	['otp', 'code'],
	...['', 'phone_number', 'catalog', 'flow', 'voice_call', 'spm'].map((kind): [string, string] => [
		kind,
		'',
	]),
]);

function* buttonVariables(buttons: unknown): Generator<TemplateVariable> {
	for (const [index, button] of (Array.isArray(buttons) ? buttons : []).entries()) {
		if (!isRecord(button)) continue;
		const kind = kindOf(button.type);
		// A one-time password button is sent as a URL button whose variable is the code.
		const id = `button:${index}:${kind === 'otp' ? 'url' : kind}`;
		const blank = BUTTONS.get(kind);
		if (blank === undefined) yield part(id, `${kind} button`);
		if (!blank || (kind === 'url' && placeholders(textOf(button.url)).next().done)) continue;
		const name = typeof button.text === 'string' ? `“${button.text}”` : String(index + 1);
		const example = kind === 'url' ? urlExample(button) : [button.example].flat()[0];
		const variable = field(id, `Button ${name}, ${blank}`, { blank, example });
		yield { ...variable, required: kind !== 'quick_reply' };
	}
}

/** The example of a URL is the whole URL; the value is only its end. */
function urlExample({ url, example }: IDataObject): string {
	const start = textOf(url).split('{{')[0] ?? '';
	const text = textOf([example].flat()[0]);
	return text.startsWith(start) ? text.slice(start.length) : text;
}
