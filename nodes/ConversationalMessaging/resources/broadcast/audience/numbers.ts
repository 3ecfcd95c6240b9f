import { readWhatsAppId } from '../../../parameters/address';
import type { Parameters } from '../../../parameters/parameters';
import { isBlank } from '../../../parameters/values';
import type { FindAudience } from './audience';
import { keptRecipients } from './keptRecipients';

/**
 * A list of recipients: those who were entered, and those of the input items.
 *
 * @param entered phone numbers as digits, or user IDs
 */
export const numbersAudience =
	(entered: string[] = []): FindAudience =>
	async (_context, { exclusion }, inputs) => {
		const recipients = [...entered, ...inputs.flatMap((input) => input.recipients)];
		const { kept, ...rest } = keptRecipients(
			recipients,
			(recipient) => [recipient],
			exclusion.keys,
		);
		return await Promise.resolve({
			content: { mode: 'list', recipients: kept },
			addresses: kept,
			recipients: kept.length,
			...rest,
		});
	};

/**
 * The recipients in a field: a list, one number, or text separated by commas or line breaks.
 *
 * @throws NodeOperationError if there are none, or something else is among them
 */
export function readRecipients(parameters: Parameters, field: string): string[] {
	const value = parameters.raw(field);
	const entries: unknown[] =
		typeof value === 'string'
			? // There may be nothing between two commas. In a list, every entry is a recipient.
				value.split(/[,;\n]/).filter((entry) => !isBlank(entry))
			: [value ?? []].flat();
	if (entries.length === 0) {
		throw parameters.invalid(
			`${parameters.label(field)} is empty`,
			'Enter a phone number with country code, or check the expression.',
		);
	}
	return entries.map((entry) => {
		const { value: recipient, expected } = readWhatsAppId(entry);
		if (recipient !== undefined) return recipient;
		const shown = typeof entry === 'string' ? entry.trim() : entry;
		throw parameters.invalidValue(field, expected, shown);
	});
}
