import { storedForms } from '../../parameters/address';
import type { OperationContext } from '../../runner/operationContext';
import { sendToFirst } from '../shared/sendToContact';
import type { Address } from './address';
import { contactIn, type KnownContact } from './sync/contacts';

/**
 * The contacts with one of the addresses, each once.
 *
 * @throws NodeApiError if they cannot be read
 */
export async function findByAddress(
	context: OperationContext,
	{ waId, igId }: Address,
): Promise<KnownContact[]> {
	const found: KnownContact[] = [];
	const addresses = [waId === undefined ? [] : storedForms(waId), igId === undefined ? [] : [igId]];
	for (const forms of addresses) {
		if (forms.length === 0) continue;
		const response = await sendToFirst(context, forms, () => ({
			endpoint: 'GET /contacts/{id}',
			action: 'Get contact',
		}));
		if (response.status === 404) continue;
		const contact = contactIn(response.json);
		if (!found.some(({ id }) => id !== undefined && id === contact.id)) found.push(contact);
	}
	return found;
}
