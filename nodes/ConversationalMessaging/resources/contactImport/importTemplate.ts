import type { CsvHeader } from '../../api/files/csv';
import { memoize } from '../../api/memoize';
import type { NodeApiError } from 'n8n-workflow';
import { isHeaderRow } from './importColumns';
import { download, readCsvHeader } from '../../runner/files';
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
	let reason = 'Its first line is not a row of columns.';
	try {
		const header = await memoize(context.client, 'import template', async () => {
			const file = await download(context, template);
			return await readCsvHeader(context, file);
		});
		if (isHeaderRow(header.columns)) return header;
	} catch (error) {
		// Stopped by the user: the run ends here.
		context.throwIfStopped();
		// Without the error's next step: running it again would repeat the import.
		reason = `${(error as NodeApiError).message}.`;
	}
	context.notify(
		`The service’s import template could not be read, so the import uses the columns name, waId, igId and those under More Columns. ${reason}`,
	);
	return undefined;
}
