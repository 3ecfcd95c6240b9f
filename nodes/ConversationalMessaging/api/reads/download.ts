import type { ServiceClient } from '../client';
import { CsvError } from '../files/csv';
import type { RequestInfo } from '../errors';
import { fileError, throwIfStopped } from '../errors';
import type { PieceReader } from '../base/streams';

/**
 * Reads a download to its end, or as far as needed, and always closes it.
 *
 * @param read reads all of the content, or its beginning
 * @throws NodeApiError for the download, its CSV, or n8n's file storage
 * @throws NodeOperationError when the execution was stopped
 */
export async function readDownload<T>(
	client: ServiceClient,
	request: RequestInfo,
	content: PieceReader,
	read: (content: PieceReader) => Promise<T>,
): Promise<T> {
	try {
		return await read(content);
	} catch (error) {
		throwIfStopped(client);
		if (content.failure) throw fileError(client, request, 'incompleteDownload', content.failure);
		if (error instanceof CsvError) throw fileError(client, request, 'unreadableCsv', error);
		throw fileError(client, request, 'unstoredFile', error);
	} finally {
		content.close();
	}
}
