import { shown } from '../../../api/access/shown';
import { readWhatsAppId } from '../../../parameters/address';
import type { Parameters } from '../../../parameters/parameters';
import { isBlank } from '../../../parameters/values';
import type { Audience, AudienceKind, AudienceSettings } from './audience';
import { keptRecipients } from './keptRecipients';

/** Recipients that the user entered, for a broadcast per item. */
export const numbers: AudienceKind = {
	option: {
		name: 'Phone Numbers',
		value: 'list',
		description: 'Phone numbers that you enter here',
	},
	fields: [
		{
			displayName: 'Phone Numbers',
			name: 'recipients',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			required: true,
			placeholder: 'e.g. 12025550143, 12025550144',
			description:
				'Phone numbers with country code, separated by commas or line breaks, or a list from an expression. User IDs of customers who hide their number, such as US.13491208655302741918, are sent unchanged; some templates are delivered to phone numbers only.',
		},
	],
	read(parameters) {
		const recipients = readRecipients(parameters, 'recipients');
		return { find: async (_context, settings) => await asList(recipients, settings) };
	},
};

/** Recipients that each input item has, for one broadcast. */
export const numbersOfItems: AudienceKind = {
	option: {
		name: 'Phone Numbers From Input Items',
		value: 'items',
		description: 'One broadcast to the phone numbers of all input items',
	},
	fields: [
		{
			displayName: 'Phone Number',
			name: 'recipient',
			type: 'string',
			default: '={{ $json.waId }}',
			required: true,
			description:
				'The phone number in each input item. One broadcast is sent to all of them. User IDs such as US.13491208655302741918 are sent unchanged; some templates are delivered to phone numbers only.',
		},
	],
	isOfAllItems: true,
	read(parameters) {
		const { itemIndex } = parameters;
		return {
			input: { itemIndex, recipients: readRecipients(parameters, 'recipient') },
			find: async (_context, settings, inputs) =>
				await asList(
					inputs.flatMap(({ recipients }) => recipients),
					settings,
				),
		};
	},
};

/** @param recipients phone numbers as digits, or user IDs */
async function asList(recipients: string[], { exclusion }: AudienceSettings): Promise<Audience> {
	const { kept, ...rest } = await keptRecipients(recipients, (recipient) => recipient, exclusion);
	return {
		body: { audienceMode: 'list', recipients: kept },
		addresses: kept,
		sentTo: kept,
		recipients: kept.length,
		...rest,
	};
}

/**
 * The recipients in a field: a list, one number, or text separated by commas or line breaks.
 *
 * @throws NodeOperationError if there are none, or something else is among them
 */
function readRecipients(parameters: Parameters, field: string): string[] {
	const value = parameters.raw(field);
	const entries: unknown[] =
		typeof value === 'string'
			? // There may be nothing between two commas. In a list, every entry is a recipient.
				value.split(/[,;\n]/).filter((entry) => !isBlank(entry))
			: [value ?? []].flat();
	if (entries.length === 0) {
		throw parameters.invalid(
			shown`${parameters.label(field)} is empty`,
			'Enter a phone number with country code, or check the expression.',
		);
	}
	const { numberCountry } = parameters;
	return entries.map((entry) => {
		const { value: recipient, expected, because } = readWhatsAppId(entry, numberCountry);
		if (recipient !== undefined) return recipient;
		const shown = typeof entry === 'string' ? entry.trim() : entry;
		throw parameters.invalidValue(field, expected, shown, because);
	});
}
