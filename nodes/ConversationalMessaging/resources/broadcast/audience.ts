import type { Reject } from '../../parameters/chosenTemplate';
import type { Parameters } from '../../parameters/parameters';
import { readWhatsAppId } from '../../parameters/phone';
import { isBlank } from '../../parameters/values';
import { csvFromBinary, type CsvFile } from '../../runner/csvUpload';
import type { AudienceInput } from './csvRows';

/** Who receives a broadcast, as the user set it up. */
export type Audience =
	| { kind: 'segment'; segmentId: string }
	| { kind: 'numbers'; numbers: string[]; unusable: unknown[] }
	| { kind: 'numbersOfItems'; input: AudienceInput }
	| { kind: 'csvFile'; read: () => Promise<CsvFile> }
	| { kind: 'csvOfItems'; input: AudienceInput };

/**
 * @param reject called if there are no phone numbers, or something else among them
 * @throws NodeOperationError for any other parameter
 */
export function readAudience(parameters: Parameters, reject: Reject): Audience {
	const { itemIndex } = parameters;
	switch (parameters.requiredOption('audience')) {
		case 'segment':
			return { kind: 'segment', segmentId: parameters.requiredId('segmentId') };
		case 'list':
			return enteredNumbers(parameters, reject);
		case 'items': {
			const { numbers, unusable } = numbersIn(parameters.raw('recipient'));
			const isEmpty = numbers.length + unusable.length === 0;
			const input = { itemIndex, numbers, unusable: isEmpty ? [undefined] : unusable };
			return { kind: 'numbersOfItems', input };
		}
		case 'csv': {
			const field = parameters.required('binaryPropertyName');
			return { kind: 'csvFile', read: csvFromBinary(parameters, field) };
		}
		default: {
			const row = parameters.context.getInputData()[itemIndex]?.json ?? {};
			return { kind: 'csvOfItems', input: { itemIndex, row } };
		}
	}
}

/** The numbers that were entered in Phone Numbers. */
function enteredNumbers(parameters: Parameters, reject: Reject): Audience {
	const { numbers, unusable, expected } = numbersIn(parameters.raw('recipients'));
	if (unusable.length > 0) reject(parameters.invalidValue('recipients', expected, unusable[0]));
	if (numbers.length + unusable.length === 0) {
		const message = `${parameters.label('recipients')} is empty`;
		const step = 'Enter a phone number with country code, or check the expression.';
		reject(parameters.invalid(message, step));
	}
	return { kind: 'numbers', numbers, unusable };
}

/** The phone numbers in a value: a list, one number, or text separated by commas or line breaks. */
function numbersIn(value: unknown) {
	const entries: unknown[] = Array.isArray(value)
		? value
		: typeof value === 'string'
			? value.split(/[,;\n]/)
			: [value];
	const numbers: string[] = [];
	const unusable: unknown[] = [];
	let expected = 'a phone number';
	for (const entry of entries) {
		// In a text, there may be nothing between two commas. In a list, every entry is a recipient.
		if (isBlank(entry) && !Array.isArray(value)) continue;
		const reading = readWhatsAppId(entry);
		if (reading.expected === undefined) numbers.push(reading.value);
		else {
			unusable.push(typeof entry === 'string' ? entry.trim() : entry);
			expected = reading.expected;
		}
	}
	return { numbers, unusable, expected };
}
