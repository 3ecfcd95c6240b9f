import type { IDataObject } from 'n8n-workflow';
import { statusOf } from '../../api/response';
import { showsVariables, valuesIn, variablesOf } from '../../parameters/templateVariables';

/** Statuses that begin so. Which ones there are is undocumented. */
const NOT_APPROVED =
	/^(?:pending|in[ _-]?review|in[ _-]?appeal|reject|declin|paus|disabl|inactive|delet|archiv|draft|submit|limit[ _-]?exceeded|flagged|expired|blocked|not[ _-]?approved|unapproved|new$)/i;

/**
 * Why the service would reject a broadcast with this template, as far as its row shows that.
 *
 * @param components the values of its variables; undefined if a CSV contains them
 */
export function whyRejected(
	row: IDataObject,
	components: readonly unknown[] | undefined,
): string | undefined {
	const status = statusOf(row);
	if (status !== undefined && NOT_APPROVED.test(status)) {
		return `The template is not approved: its status is ${status}. Choose another one, or run Template → Sync to refresh its status.`;
	}
	if (!components || !showsVariables(row.components)) return undefined;
	const values = valuesIn(components);
	const missing = variablesOf(row.components).find(
		({ id, required }) => required && !values.has(id),
	);
	return missing && `Template variable ${missing.label} is empty. Enter a value for it.`;
}
