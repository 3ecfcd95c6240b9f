import type { Address } from '../../../api/response/contact';
import { variantsOf } from '../../../parameters/address';
import type { OperationContext } from '../../../runner/operationContext';
import { sendToFirst } from '../../shared/numberVariants';
import type { KnownContact } from './contacts';
import { contactIn } from './contacts';

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
	const addresses = [waId === undefined ? [] : variantsOf(waId), igId === undefined ? [] : [igId]];
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
