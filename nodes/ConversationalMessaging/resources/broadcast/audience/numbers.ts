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
		const recipients = parameters.requiredWhatsAppAddresses('recipients');
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
		const recipient = parameters.requiredWhatsAppAddress('recipient');
		return {
			input: { itemIndex, recipients: [recipient] },
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
		recipients: kept.length,
		...rest,
	};
}
