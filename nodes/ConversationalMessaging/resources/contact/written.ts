import { NodeApiError } from 'n8n-workflow';

/**
 * Adds to the error of a request what the requests before it have written: that stays, and the item fails all the same.
 *
 * @param written for example ["the new contact c1", "name"]
 */
export function sayWritten(error: unknown, written: string[]): void {
	if (written.length > 0 && error instanceof NodeApiError)
		error.message += `. Already written: ${written.join(', ')}`;
}
