import { textOf } from '../../api/base/text';
import { readMoment } from '../../parameters/dateTime';
import { IS_EMPTY } from '../../parameters/emptyValues';
import { type ReadResult, isBlank, isDate, readText } from '../../parameters/values';

/** A value that a contact is to have. */
export interface WantedValue {
	/** A name of the service, e.g. "customName", or the label of a custom field. */
	field: string;
	isCustom: boolean;
	/** What is sent: empty to clear the field. */
	text: string;
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

/** Whether a contact already has a value: services return the text that they were sent. */
export function isSameValue(text: string, existing: unknown): boolean {
	if (IS_EMPTY.cell(existing)) return text === '';
	const shown = Array.isArray(existing) ? existing.map(textOf).join(', ') : textOf(existing);
	return normalized(shown) === normalized(text);
}

/** Line breaks, composed characters and spaces at the ends are often changed when a text is stored. */
const normalized = (text: string): string => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();
