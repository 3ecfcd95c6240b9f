import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';

/**
 * Sends requests. The error of one says what those before it have written: that stays, and the item fails all the same.
 *
 * @param written for example ["the new contact c1", "name"]; the requests may add to it
 */
export async function reportingPartialWrites<T>(
	written: string[],
	send: () => Promise<T>,
): Promise<T> {
	return await send().catch((error: unknown) => {
		if (written.length > 0 && error instanceof NodeApiError)
			error.message += String(shown`. Already written: ${written.join(', ')}`);
		throw error;
	});
}
