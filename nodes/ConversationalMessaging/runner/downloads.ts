import type { IDataObject } from 'n8n-workflow';
import type { CsvHeader } from '../api/files/csv';
import { CsvError, readCsv, readCsvHeader } from '../api/files/csv';
import { reasonText, throwIfStopped } from '../api/errors';
import { failedError } from '../api/failures';
import type { PieceReader } from '../api/base/streams';
import { textOf } from '../api/base/text';
import type { CsvTarget } from '../descriptions/csvOutput';
import type { OperationContext, OperationRequest } from './operationContext';
import type { Output } from './output';

/** A file from the service. */
interface Download {
	/** Unread. Its connection is open until it is read, or closed. */
	content: PieceReader;
	/** From Content-Disposition; undefined when the service names none. */
	fileName?: string;
	mimeType: string;
}

/**
 * Fetches a CSV, as a file that is streamed to n8n's storage, or row by row as items.
 *
 * @param fileName used if the service does not name the file
 */
export async function downloadCsv(
	context: OperationContext,
	request: OperationRequest,
	target: CsvTarget,
	fileName: string,
): Promise<Output[]> {
	if (target.kind === 'items')
		return (await downloadRows(context, request)).map((json) => ({ json }));
	const file = await download(context, request);
	const binary = await readDownload(context, file, async (content) => {
		const stream = content.streamOf((pieces) => pieces);
		const { helpers } = context.n8n;
		return await helpers.prepareBinaryData(stream, file.fileName ?? fileName, file.mimeType);
	});
	const { fileName: name, mimeType, fileSize } = binary;
	return [{ json: { fileName: name, mimeType, fileSize }, binary: { [target.field]: binary } }];
}

/** Fetches the rows of a CSV. */
export async function downloadRows(
	context: OperationContext,
	request: OperationRequest,
): Promise<IDataObject[]> {
	return await readDownload(context, await download(context, request), readCsv);
}

/** Fetches the header row of a CSV, once for all items. */
export async function downloadHeader(
	context: OperationContext,
	request: OperationRequest,
): Promise<CsvHeader> {
	return await context.once(`header ${JSON.stringify(request)}`, async () => {
		const file = await download(context, request);
		return await readDownload(context, file, readCsvHeader);
	});
}

/** Fetches a file. Read it: until then, its download is open. */
async function download(context: OperationContext, request: OperationRequest): Promise<Download> {
	const { content, headers, status } = await context.send({ ...request, download: true });
	if (!content)
		throw failedError(context.client, { ...context.requestInfo, ...request }, { kind: 'file' });
	const mimeType = textOf(headers['content-type']).split(';')[0]?.trim();
	return {
		content,
		fileName: fileNameIn(headers['content-disposition']),
		mimeType: (status !== 204 && mimeType) || 'text/csv',
	};
}

/**
 * Reads a download to its end, or as far as needed, and always closes it.
 *
 * @param reader reads all of the content, or its beginning
 * @throws NodeApiError for the download, its CSV, or n8n's file storage
 * @throws NodeOperationError when the execution was stopped
 */
export async function readDownload<T>(
	{ client, requestInfo }: Pick<OperationContext, 'client' | 'requestInfo'>,
	{ content }: Pick<Download, 'content'>,
	reader: (content: PieceReader) => Promise<T>,
): Promise<T> {
	try {
		return await reader(content);
	} catch (error) {
		throwIfStopped(client);
		const kind = error instanceof CsvError ? 'unreadableCsv' : 'unstoredFile';
		throw content.failure
			? failedError(client, requestInfo, {
					kind: 'incompleteDownload',
					reason: reasonText(content.failure),
				})
			: failedError(client, requestInfo, { kind, reason: reasonText(error) });
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
