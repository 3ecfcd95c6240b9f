import type { RequestParams } from '../api/endpoint';
import type { CsvTarget } from '../descriptions/csvOutput';
import type { OperationContext } from './operationContext';
import type { Output } from './output';

/**
 * Fetches a CSV, as a file that is streamed to n8n's storage, or row by row as items.
 *
 * @param fileName used if the service does not name the file
 */
export async function downloadCsv(
	context: OperationContext,
	params: RequestParams,
	target: CsvTarget,
	fileName: string,
): Promise<Output[]> {
	const file = await context.download(params);
	if (target.kind === 'items') {
		return (await context.readCsv(file)).map((json) => ({ json }));
	}
	const binary = await context.store({ ...file, fileName: file.fileName ?? fileName });
	const { fileName: name, mimeType, fileSize } = binary;
	return [{ json: { fileName: name, mimeType, fileSize }, binary: { [target.field]: binary } }];
}
