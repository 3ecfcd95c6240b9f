import { shown } from '../../api/access/shown';
import { requireRecord } from '../../api/reads/record';
import { addressOf } from '../../api/response/contact';
import { recordOf } from '../../api/response/response';
import { channelType, channelTypes } from '../../descriptions/channelTypes';
import { customerId } from '../../phone/customerId';
import type { OperationContext } from '../../runner/operationContext';

/** What looks an address up. */
export const LOOK_UP = 'GET /contacts/{id}';

/**
 * The address to send to. If the recipient is a contact's own ID, the contact is read, once for all items.
 *
 * @param channel the channel type, e.g. WHATSAPP
 * @returns a phone number as digits, a user ID, or an Instagram ID
 * @throws NodeApiError if there is no such contact, or it cannot be read. Nothing has been sent by then
 * @throws NodeOperationError if it has no address on this channel
 */
export async function addressToSendTo(
	context: OperationContext,
	to: string,
	channel: string,
): Promise<string> {
	if (customerId(to).kind !== 'contactId') return to;
	return await context.once(`address ${channel} ${to}`, async () => {
		const lookUp = { endpoint: LOOK_UP, action: 'Get contact', path: { id: to } } as const;
		const response = await context.send({
			...lookUp,
			errorHint: (status) =>
				status === 404
					? shown`Nothing was sent. To contains the ID of a contact that does not exist. Check it, or enter the phone number or Instagram ID.`
					: undefined,
		});
		const { json } = requireRecord(context.client, lookUp, response);
		const type = channelType(channel);
		const found = addressOf(recordOf(json, LOOK_UP).record);
		const address = type.sendable(type.addressOf(found));
		if (address !== undefined) return address;
		const isElsewhere = channelTypes.some(
			(other) => other !== type && other.addressOf(found) !== undefined,
		);
		throw context.invalid(
			shown`To contains the ID of the contact ${to}, which has no ${type.addressName}`,
			isElsewhere
				? 'Nothing was sent. The contact is on another channel type.'
				: shown`Nothing was sent. Enter the ${type.addressName}.`,
		);
	});
}
