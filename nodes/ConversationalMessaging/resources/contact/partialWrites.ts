import { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import type { OperationContext } from '../../runner/operationContext';
import { writeField } from '../shared/customFields';
import type { Difference } from './differences';

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
		if (written.length > 0 && error instanceof NodeApiError) {
			error.message += String(shown`. Already written: ${written.join(', ')}`);
			error.description = [error.description, COMPLETE].filter(Boolean).join(' ');
		}
		throw error;
	});
}

const COMPLETE = 'Run the node again to complete it.';

/** Sets the custom fields that differ. @param written the labels are added to it */
export async function writeFields(
	context: OperationContext,
	contactId: string,
	differences: Difference[],
	written: string[],
): Promise<void> {
	for (const { field: label, isCustom, to: value, fieldId } of differences) {
		if (!isCustom) continue;
		await writeField(context, contactId, fieldId, { label, value });
		written.push(label);
	}
}
