import type { ServiceClient } from '../client';
import { CsvError } from '../files/csv';
import { failedError, reasonText, throwIfStopped } from '../errors';
import type { RequestInfo } from '../failures';
import type { PieceReader } from '../base/streams';
import { textOf } from '../base/text';

/** A file from the service. */
export interface Download {
	/** Unread. Its connection is open until it is read, or closed. */
	content: PieceReader;
	/** From Content-Disposition; undefined when the service names none. */
	fileName?: string;
	mimeType: string;
	/** The encoding of a text, as the service names it. */
	charset?: string;
}

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
		const kind = error instanceof CsvError ? 'unreadableCsv' : 'unstoredFile';
		throw content.failure
			? failedError(client, request, {
					kind: 'incompleteDownload',
					reason: reasonText(content.failure),
				})
			: failedError(client, request, { kind, reason: reasonText(error) });
	} finally {
		content.close();
	}
}

/** The file name in a Content-Disposition (RFC 6266): the extended form first, never a path. */
export function fileNameIn(disposition: unknown): string | undefined {
	const text = textOf(disposition);
	const extended = /filename\*\s*=\s*[\w-]*'[^']*'([^;\s]+)/i.exec(text)?.[1];
	const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(text);
	const name =
		(extended && decodedUri(extended)) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
	const base = name
		?.split(/[\\/]/)
		.pop()
		?.replace(/\p{Cc}/gu, '')
		.trim();
	return base === '.' || base === '..' ? undefined : base || undefined;
}

function decodedUri(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
