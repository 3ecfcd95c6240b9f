import type { INodeProperties } from 'n8n-workflow';
import { type Shown, shown } from '../../api/access/shown';
import type { Address } from '../../api/response/contact';
import { igIdField, nameField, waIdField } from '../../descriptions/contactFields';
import type { Parameters } from '../../parameters/parameters';
import { customerId } from '../../phone/customerId';

/** The name of a new contact, which is required (API document, `POST /contacts`). */
export const requiredNameField: INodeProperties = { ...nameField, required: true };

/** The two IDs of a new contact, of which one is required (API document, `POST /contacts`). */
export const addressFields: INodeProperties[] = [
	{
		...waIdField,
		description:
			'Phone number with country code, or business-scoped user ID. A contact needs a WhatsApp ID or an Instagram ID.',
	},
	{
		...igIdField,
		description: 'Instagram user ID. A contact needs a WhatsApp ID or an Instagram ID.',
	},
];

/** @throws NodeOperationError if both IDs are empty */
export function readAddress(parameters: Parameters): Address {
	const waId = parameters.whatsAppAddress('waId', 'mayBeEmpty');
	const igId = parameters.id('igId', 'mayBeEmpty');
	if (waId === undefined && igId === undefined) {
		throw parameters.invalid(
			'WhatsApp ID and Instagram ID are both empty',
			'Enter at least one of them.',
		);
	}
	return { waId, igId };
}

/** The same key for the same contact, so that operations on one contact keep their order. */
export function addressOrder(parameters: Parameters): string {
	const { waId, igId = '' } = readAddress(parameters);
	return customerId(waId ?? igId).key;
}

export function addressErrorHint(status: number): Shown | undefined {
	if (status !== 409) return undefined;
	return shown`A contact with this WhatsApp ID or Instagram ID already exists. Use the operation Create or Update to update it instead.`;
}
