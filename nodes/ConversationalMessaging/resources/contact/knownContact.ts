import type { IDataObject } from 'n8n-workflow';
import {
	type Address,
	type CustomFields,
	addressOf,
	customFieldsOf,
} from '../../api/response/contact';
import { recordOf } from '../../api/response/response';
import { customerId } from '../../phone/customerId';
import type { OperationContext } from '../../runner/operationContext';
import { sendToFirst } from '../shared/numberVariants';

export interface KnownContact {
	/** Undefined if the service does not return it. */
	id?: string;
	record: IDataObject;
	/** Both IDs may be missing: contacts of other channels have none. */
	address: Address;
	/** Undefined if the service does not show custom fields. */
	fields?: CustomFields;
}

/** The contact in a response, or in an envelope around a row of a list. */
export function contactIn(json: unknown): KnownContact {
	const { record, id } = recordOf(json, 'GET /contacts/{id}');
	return { id, record, address: addressOf(record), fields: customFieldsOf(record) };
}

/** The contacts with one of the addresses, each once. */
export async function findByAddress(
	context: OperationContext,
	{ waId, igId }: Address,
): Promise<KnownContact[]> {
	const found: KnownContact[] = [];
	const addresses = [
		waId === undefined ? [] : customerId(waId).variants,
		igId === undefined ? [] : [igId],
	];
	for (const variants of addresses) {
		if (variants.length === 0) continue;
		const response = await sendToFirst(context, variants, () => ({
			endpoint: 'GET /contacts/{id}',
			action: 'Get contact',
		}));
		if (response.status === 404) continue;
		const contact = contactIn(response.json);
		if (!found.some(({ id }) => id !== undefined && id === contact.id)) found.push(contact);
	}
	return found;
}
