import type { INodeProperties } from 'n8n-workflow';
import { phone } from '../../fields/phone';
import type { Parameters } from '../../fields/parameters';

/** The two IDs that a new contact is reached at: one of them is needed (API document, `POST /contacts`). */
export const addressFields: INodeProperties[] = [
	{
		displayName: 'WhatsApp ID',
		name: 'waId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12025550143',
		description: 'Phone number with country code. A contact has a WhatsApp ID or an Instagram ID.',
	},
	{
		displayName: 'Instagram ID',
		name: 'igId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 17841400000000001',
		description: 'Instagram user ID. A contact has a WhatsApp ID or an Instagram ID.',
	},
];

/**
 * @returns both IDs as they are filled in, and the one that addresses the contact
 * @throws NodeOperationError when neither is
 */
export function readAddress(parameters: Parameters): { waId?: string; igId?: string; key: string } {
	const waId = phone(parameters.text('waId'));
	const igId = parameters.text('igId');
	const key = waId ?? igId;
	if (key === undefined) {
		throw parameters.invalid(
			'WhatsApp ID and Instagram ID are both empty',
			'Fill in one of them: the contact is reached there.',
		);
	}
	return { waId, igId, key };
}

export function addressAdvice(status: number): string | undefined {
	if (status !== 409) return undefined;
	return 'A contact with this WhatsApp ID or Instagram ID exists already. Use the operation Create or Update to change it in that case.';
}
