import { textOf } from '../../api/base/text';
import { readMoment } from '../../parameters/dateTime';
import { IS_EMPTY } from '../../parameters/emptyValues';
import type { ReadResult } from '../../parameters/values';
import { isBlank, isDate, readBoolean, readNumber, readText } from '../../parameters/values';

/** A value that a contact is to have. */
export interface WantedValue {
	/** A name of the service, e.g. "customName", or the label of a custom field. */
	field: string;
	isCustom: boolean;
	/** What is sent: empty to clear the field. */
	text: string;
	/** As the item has it: a number, a date, a list, text. */
	raw: unknown;
}

/**
 * Reads a value for a custom field, which is always text: a date becomes ISO 8601 in the workflow's time zone, a list
 * of simple values is joined with commas.
 *
 * @param timeZone an IANA name, for dates
 */
export const readFieldValue =
	(timeZone: string) =>
	(value: unknown): ReadResult<string> => {
		if (!Array.isArray(value)) return readSimpleValue(timeZone, value);
		const texts: string[] = [];
		for (const entry of value as unknown[]) {
			if (isBlank(entry)) continue;
			const reading = readSimpleValue(timeZone, entry);
			if (reading.value === undefined) return { expected: 'one value or a list of simple values' };
			texts.push(reading.value);
		}
		return { value: texts.join(', ') };
	};

function readSimpleValue(timeZone: string, value: unknown): ReadResult<string> {
	if (!isDate(value)) return readText(value);
	const reading = readMoment(timeZone)(value);
	return reading.value === undefined
		? { expected: reading.expected }
		: { value: reading.value.iso };
}

/**
 * Whether a contact already has a value. Services return the text that they were sent, but some trim it, or have kept a
 * number or a boolean from another source: 7 is "7.0" and true is "TRUE", but only if the item has a number or a boolean.
 */
export function isSameValue({ text, raw }: WantedValue, existing: unknown): boolean {
	if (IS_EMPTY.cell(existing)) return text === '';
	const shown = Array.isArray(existing) ? existing.map(textOf).join(', ') : textOf(existing);
	if (normalized(shown) === normalized(text)) return true;
	if (typeof raw === 'boolean') return readBoolean(existing).value === raw;
	if (typeof raw === 'number') return readNumber(existing).value === raw;
	return isMoment(raw) && wholeSeconds(shown) === wholeSeconds(text);
}

/** n8n gives a Luxon DateTime to a node as the text that it has in JSON. */
const isMoment = (raw: unknown): boolean =>
	isDate(raw) || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)$/.test(textOf(raw));

/** Line breaks, composed characters and spaces at the ends are often changed when a text is stored. */
const normalized = (text: string): string => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();

/** NaN, which equals nothing, if it is no date. */
const wholeSeconds = (text: string): number => Math.floor(Date.parse(text) / 1_000);
