import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { PhoneNumber } from '../../phone/phoneNumber';
import { readPhoneNumber } from '../../phone/readPhoneNumber';
import type { Collection } from '../../parameters/collection';
import type { FieldReader } from '../../parameters/fieldReader';
import type { Parameters } from '../../parameters/parameters';
import { countOf } from '../../parameters/values';

/**
 * The components of a new template in the messaging platform's usual form, with an example of each variable. The platform itself
 * rejects too long texts and too many buttons.
 *
 * @throws NodeOperationError for variables and examples that do not belong together
 */
export function readComponents(parameters: Parameters): unknown[] {
	if (parameters.option('defineUsing', 'required') === 'json') return fromJson(parameters);
	return [
		...header(parameters),
		body(parameters),
		...footer(parameters),
		...buttonList(parameters),
	];
}

function fromJson(parameters: Parameters): unknown[] {
	const components = parameters.records('components');
	if (components) return components;
	throw parameters.invalid(
		'Components is empty',
		'Enter at least a body, e.g. [{ "type": "BODY", "text": "Hello" }].',
	);
}

function header(parameters: Parameters): IDataObject[] {
	const format = parameters.option('header', 'required');
	if (format === 'NONE') return [];
	if (format !== 'TEXT') {
		const example = { header_handle: [parameters.text('headerHandle', 'required')] };
		return [{ type: 'HEADER', format, example }];
	}
	const { text, count } = textWithVariables(parameters, 'headerText', 1);
	const value = parameters.text('headerExample');
	if (count === 0) {
		if (value !== undefined) throw surplusExample(parameters, 'headerExample', '1', 'headerText');
		return [{ type: 'HEADER', format, text }];
	}
	if (value === undefined) throw missingExample(parameters, 'headerExample', 1);
	return [{ type: 'HEADER', format, text, example: { header_text: [value] } }];
}

function body(parameters: Parameters): IDataObject {
	const { text, count } = textWithVariables(parameters, 'body');
	const examples = new Map<string, string>();
	for (const entry of parameters.groups('bodyExamples')) {
		const number = entry.text('variable', 'required').replace(/[{}\s]/g, '');
		if (examples.has(number)) {
			throw parameters.invalid(
				shown`Body Examples has two examples of {{${number}}}`,
				'Remove one of the two.',
			);
		}
		examples.set(number, entry.text('value', 'required'));
	}
	const values = Array.from({ length: count }, (_, index) => {
		const value = examples.get(String(index + 1));
		if (value === undefined) throw missingExample(parameters, 'bodyExamples', index + 1);
		examples.delete(String(index + 1));
		return value;
	});
	const [surplus] = examples.keys();
	if (surplus !== undefined) throw surplusExample(parameters, 'bodyExamples', surplus, 'body');
	return { type: 'BODY', text, ...(count > 0 && { example: { body_text: [values] } }) };
}

function footer(parameters: Parameters): IDataObject[] {
	if (parameters.verbatim('footer') === undefined) return [];
	return [{ type: 'FOOTER', text: textWithVariables(parameters, 'footer', 0).text }];
}

function buttonList(parameters: Parameters): IDataObject[] {
	const buttons = parameters.groups('buttons').map(button);
	return buttons.length > 0 ? [{ type: 'BUTTONS', buttons }] : [];
}

function button(entry: Collection): IDataObject {
	const type = entry.option('type', 'required');
	if (type === 'COPY_CODE') return { type, example: entry.text('codeExample', 'required') };
	const { text } = textWithVariables(entry, 'text', 0);
	if (type === 'URL') return { type, text, ...url(entry) };
	if (type === 'QUICK_REPLY') return { type, text };
	const entered = entry.text('phoneNumber', 'required');
	const number = readPhoneNumber(entered);
	if (number instanceof PhoneNumber) return { type, text, phone_number: number.id };
	throw entry.invalidValue(
		'phoneNumber',
		'a phone number with country code',
		entered,
		number.because,
	);
}

function url(entry: Collection): IDataObject {
	const { text, count } = textWithVariables(entry, 'url', 1);
	const example = entry.text('urlExample');
	if (count === 0) {
		if (example !== undefined) throw surplusExample(entry, 'urlExample', '1', 'url');
		return { url: text };
	}
	if (!text.endsWith('{{1}}'))
		throw entry.invalid('URL has its variable in the middle', 'Put {{1}} at the end of the URL.');
	if (example === undefined) throw missingExample(entry, 'urlExample', 1);
	const start = text.slice(0, -'{{1}}'.length);
	if (example.startsWith(start)) return { url: text, example: [example] };
	if (/^https?:\/\//i.test(example)) {
		throw entry.invalid(
			'URL Example begins otherwise than URL',
			shown`Enter a URL that begins with ${start}, or only an example of {{1}}.`,
		);
	}
	return { url: text, example: [`${start}${example}`] };
}

/** A text with its variables as `{{1}}`, and how many there are: at most `most`. */
function textWithVariables(
	fields: FieldReader,
	field: string,
	most = Infinity,
): { text: string; count: number } {
	const label = fields.label(field);
	const text = fields.verbatim(field, 'required').replace(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}');
	fields.readable(label, text);
	const names = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name as string));
	if (/\{\{|\}\}/.test(text.replace(/\{\{\w+\}\}/g, ''))) {
		throw fields.invalid(
			shown`${label} has {{ or }} without a variable`,
			'Write variables as {{1}}, {{2}}. If this is an expression, set Define Using to JSON: this field cannot have one.',
		);
	}
	if (names.size > most) {
		throw fields.invalid(
			shown`${label} has ${countOf(names.size, 'variable')}`,
			most === 0 ? 'Remove them: it cannot have any.' : 'It can have only one, {{1}}.',
		);
	}
	const gap = Array.from(names, (_, index) => String(index + 1)).find((name) => !names.has(name));
	if (gap === undefined) return { text, count: names.size };
	throw fields.invalid(
		shown`${label} has ${countOf(names.size, 'variable')}, but not {{${gap}}}`,
		'Number the variables from 1 without gaps. For variables with names, set Define Using to JSON.',
	);
}

const missingExample = (fields: FieldReader, field: string, number: number) =>
	fields.invalid(
		shown`${fields.label(field)} has no example of {{${number}}}`,
		'Enter one: the review needs an example of each variable.',
	);

const surplusExample = (fields: FieldReader, field: string, name: string, text: string) =>
	fields.invalid(
		shown`${fields.label(field)} has an example of {{${name}}}, which ${fields.label(text)} does not contain`,
		shown`Remove the example, or add {{${name}}}. In an expression, n8n replaces it.`,
	);
