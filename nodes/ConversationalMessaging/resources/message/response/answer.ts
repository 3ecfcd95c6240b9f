import type { GenericValue, IDataObject } from 'n8n-workflow';
import { textOf } from '../../../api/base/text';
import type { ReadResult } from '../../../parameters/values';
import { numberReadings } from './formNumber';
import { type FormField, type PageTexts, type Question, APPROVED_PARAMETER } from './question';

type Answer =
	| {
			data: IDataObject;
			/** The response in words, for the page that confirms it. */
			shown: string;
			corrections?: undefined;
	  }
	| {
			data?: undefined;
			shown?: undefined;
			/** For each field of the question: what to correct; undefined if the field is fine. [] for an approval. */
			corrections: (string | undefined)[];
	  };

/** The name of a field in the request, by its position. */
export const fieldName = (index: number): string => `field-${index}`;

/** The most characters of a field: a whole form can have 16 MB, and each character can become six on the page. */
const MAX_LENGTH = 20_000;

/**
 * What was entered in a field, or "". A field that is sent twice, or as something other than text, is not accepted. Of
 * one that is too long, only as much as shows that it is.
 */
function entered(body: IDataObject, index: number): string {
	const value = body[fieldName(index)];
	// Browsers send the line breaks of a text area as CR LF.
	return typeof value === 'string'
		? value.slice(0, 2 * MAX_LENGTH + 1).replace(/\r\n?/g, '\n')
		: '';
}

const isTooLong = (text: string): boolean => text.length > MAX_LENGTH;

/** What a page for a correction shows again of a field: nothing if it is too long. */
export function shownAgain(body: IDataObject, index: number): string {
	const text = entered(body, index);
	return isTooLong(text) ? '' : text;
}

/** Reads a response. Everything in the body may come from anyone who has the link. */
export function readAnswer(question: Question, body: IDataObject): Answer {
	if (question.responseType === 'approval') {
		const decision = question.decisions.find(
			({ approved }) => body[APPROVED_PARAMETER] === String(approved),
		);
		return decision
			? { data: { approved: decision.approved }, shown: decision.label }
			: { corrections: [] };
	}
	const readings = question.fields.map((field, index) =>
		readField(field, entered(body, index), question.texts),
	);
	if (readings.some(({ expected }) => expected !== undefined))
		return { corrections: readings.map(({ expected }) => expected) };
	const values = readings.map(({ value }) => value ?? null);
	if (question.responseType === 'freeText')
		return { data: { text: values[0] }, shown: textOf(values[0]) };
	const entries = question.fields.map(({ label }, index) => [label, values[index]] as const);
	const lines = entries.map(([label, value]) => `${label}: ${textOf(value) || '–'}`);
	return { data: Object.fromEntries(entries), shown: lines.join('\n') };
}

function readField(
	{ type, required, options }: FormField,
	text: string,
	texts: PageTexts,
): ReadResult<GenericValue> {
	const invalid = (expected: string) => ({ expected: texts.invalid ?? expected });
	if (isTooLong(text)) return invalid('Enter at most 20,000 characters.');
	const value = type === 'textarea' ? text : text.trim();
	if (value.trim() === '') return required ? { expected: texts.required } : { value: null };
	switch (type) {
		case 'number': {
			const [one, other] = numberReadings(value);
			if (one === undefined) return invalid('Enter a number, e.g. 1500.5 or 1500,5.');
			if (other === undefined) return { value: Number(one) };
			return texts.invalid === undefined
				? { expected: `Enter ${one} or ${other}: ${value} can mean either.` }
				: { expected: `${texts.invalid} ${one} / ${other}` };
		}
		case 'email':
			return /^[^\s@]+@[^\s@]+$/.test(value) ? { value } : invalid('Enter an email address.');
		case 'date':
			return isDay(value) ? { value } : invalid('Enter a date as YYYY-MM-DD.');
		case 'dropdown':
			return options?.includes(value) ? { value } : invalid('Choose one of the options.');
		case 'text':
		case 'textarea':
			return { value };
	}
}

/** "2026-02-30" is not a day, although a Date can be made of it. */
function isDay(text: string): boolean {
	const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
	return Number.isFinite(time) && new Date(time).toISOString().startsWith(text);
}
