import type { CsvHeader } from '../../api/files/csv';
import type { NodeApiError } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { downloadHeader } from '../../runner/downloads';
import type { OperationContext } from '../../runner/operationContext';

/**
 * The header row of the service's own import template (API document, `GET /contacts/import-template`); undefined if it
 * cannot be read, which the user gets a notice about.
 */
export async function templateHeader(context: OperationContext): Promise<CsvHeader | undefined> {
	const template = {
		endpoint: 'GET /contacts/import-template',
		action: 'Download contact import template',
	} as const;
	let reason = 'It is empty.';
	try {
		const header = await downloadHeader(context, template);
		if (header.columns.some((column) => column.trim() !== '')) return header;
	} catch (error) {
		// Stopped by the user: the run ends here.
		context.throwIfStopped();
		// Without the error's next step: running it again would repeat the import.
		reason = `${(error as NodeApiError).message}.`;
	}
	context.notify(
		shown`The service’s import template could not be read, so the import uses the columns name, waId, igId and those under More Columns. ${reason}`,
	);
	return undefined;
}
