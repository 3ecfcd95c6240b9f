import { clock } from './clock';
import type { ServiceClient } from './client';
import { CsvError } from './csv';
import type { RequestPurpose } from './errors';
import { fileError } from './errors';
import { throwIfStopped, timeouts } from './send';
import type { FileStream } from './streams';
import { PieceReader } from './streams';

/**
 * Reads a download to its end, or as far as needed, and always closes it. If no data arrives for as long as a request
 * may take, the download is aborted: the timeout of n8n's HTTP client ends with the first byte.
 *
 * @param read reads all of the content, or its beginning
 * @throws NodeApiError for the download, its CSV, or n8n's file storage
 * @throws NodeOperationError when the execution was stopped
 */
export async function readDownload<T>(
	client: ServiceClient,
	purpose: RequestPurpose,
	stream: FileStream,
	read: (content: PieceReader) => Promise<T>,
): Promise<T> {
	const content = new PieceReader(stream);
	const stop = () => content.close(new Error('stopped'));
	client.signal?.addEventListener('abort', stop);
	giveUpWhenIdle(content);
	try {
		return await read(content);
	} catch (error) {
		throwIfStopped(client);
		if (content.failure) throw fileError(client, purpose, 'incompleteDownload', content.failure);
		if (error instanceof CsvError) throw fileError(client, purpose, 'unreadableCsv', error);
		throw fileError(client, purpose, 'unstoredFile', error);
	} finally {
		client.signal?.removeEventListener('abort', stop);
		content.close();
	}
}

function giveUpWhenIdle(content: PieceReader): void {
	const { bytes } = content;
	clock.after(timeouts.file, () => {
		if (content.isClosed) return;
		if (content.bytes === bytes) content.close(new Error('ETIMEDOUT'));
		else giveUpWhenIdle(content);
	});
}
