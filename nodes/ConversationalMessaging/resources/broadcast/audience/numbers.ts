import { textField } from '../../../descriptions/basicFields';
import type { AudienceKind, Recipients } from './audience';
import { keptRecipients } from './keptRecipients';

/** Recipients that the user entered, for a broadcast per item. */
export const numbers: AudienceKind<string[]> = {
	option: {
		name: 'Phone Numbers',
		value: 'list',
		description: 'Phone numbers that you enter here',
	},
	fields: [
		textField('Phone Numbers', 'recipients', {
			typeOptions: { rows: 3 },
			required: true,
			placeholder: 'e.g. 12025550143, 12025550144',
			description:
				'Phone numbers with country code, separated by commas or line breaks, or a list from an expression. Also user IDs of customers who hide their number, such as US.13491208655302741918; some templates are delivered to phone numbers only.',
		}),
	],
	read: (parameters) => parameters.requiredWhatsAppAddresses('recipients'),
	find: async (context, [recipients], { guards }) =>
		await keptRecipients(context, asRecipients(recipients), guards),
};

/** Recipients that each input item has, for one broadcast. */
export const numbersOfItems: AudienceKind<string> = {
	option: {
		name: 'Phone Numbers From Input Items',
		value: 'items',
		description: 'One broadcast to the phone numbers of all input items',
	},
	fields: [
		textField('Phone Number', 'recipient', {
			default: '={{ $json.waId }}',
			required: true,
			description:
				'The phone number in each input item. One broadcast is sent to all of them. User IDs are accepted, too; some templates are delivered to phone numbers only.',
		}),
	],
	isOfAllItems: true,
	read: (parameters) => parameters.whatsAppAddress('recipient', 'required'),
	find: async (context, recipients, { guards }) =>
		await keptRecipients(context, asRecipients(recipients), guards),
};

const asRecipients = (addresses: string[]): Recipients => ({
	recipients: addresses.map((address) => ({ address })),
	leftOut: 0,
	notes: [],
});
