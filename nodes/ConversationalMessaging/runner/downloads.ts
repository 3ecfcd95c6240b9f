import type { IDataObject } from 'n8n-workflow';
import { type CsvHeader, CsvError, readCsv, readCsvHeader } from '../api/files/csv';
import { reasonText, throwIfStopped } from '../api/errors';
import { failedError } from '../api/failures';
import { type Message, shown } from '../api/access/shown';
import { type PieceReader, SizeError } from '../api/base/streams';
import { textOf } from '../api/base/text';
import type { Headers } from '../api/rate/rateHeaders';
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
 * @param emptyNotice shown if it has no row besides its header, or as a file no second line; undefined if that is nothing special
 */
export async function downloadCsv<T extends string>(
	context: OperationContext,
	request: OperationRequest,
	target: CsvTarget,
	fileName: string,
	emptyNotice?: Message<T>,
): Promise<Output[]> {
	if (target.kind === 'items') {
		const rows = await downloadRows(context, request);
		if (emptyNotice !== undefined && rows.length === 0) context.notify(emptyNotice);
		return rows.map((json) => ({ json }));
	}
	const file = await download(context, request);
	const lineEnds = LINE_ENDS.map((byte) => ({ byte, count: 0 }));
	const lineCount = () => Math.max(...lineEnds.map(({ count }) => count));
	const binary = await readDownload(context, file, async (content) => {
		const stream = content.streamOf(async function* (pieces) {
			for await (const piece of pieces) {
				// Two are enough, of either kind: a file may have gigabytes, and none of the other kind.
				if (lineCount() < 2)
					for (const end of lineEnds) end.count += piece.filter((byte) => byte === end.byte).length;
				yield piece;
			}
		});
		const { helpers } = context.n8n;
		return await helpers.prepareBinaryData(stream, file.fileName ?? fileName, file.mimeType);
	});
	const lines = lineCount();
	// The last line may have no end.
	const isEmpty = lines === 0 || (lines === 1 && LINE_ENDS.includes(file.content.lastByte));
	if (emptyNotice !== undefined && isEmpty) context.notify(emptyNotice);
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
		const requestInfo = { ...context.requestInfo, ...request };
		const file = await download(context, request);
		return await readDownload({ client: context.client, requestInfo }, file, readCsvHeader);
	});
}

/** Fetches a file. Read it: until then, its download is open. */
async function download(context: OperationContext, request: OperationRequest): Promise<Download> {
	const { content, headers, status } = await context.send(request);
	const info = { ...context.requestInfo, ...request };
	if (!content) throw failedError(context.client, info, { kind: 'file' });
	const reason = status === 204 ? undefined : whyUncertain(headers);
	if (reason !== undefined) {
		content.close();
		throw failedError(context.client, info, { kind: 'uncertainDownload', reason });
	}
	const mimeType = textOf(headers['content-type']).split(';')[0]?.trim();
	return {
		content,
		fileName: fileNameIn(headers['content-disposition']),
		mimeType: (status !== 204 && mimeType) || 'text/csv',
	};
}

/** Why nobody can find out whether a response is complete; undefined if its end is marked. */
function whyUncertain(headers: Headers): string | undefined {
	// What n8n's HTTP client unpacks has no such header any more.
	const coding = textOf(headers['content-encoding']) || 'identity';
	if (coding.toLowerCase() !== 'identity') return `its Content-Encoding is ${coding}`;
	const isMarked =
		headers['content-length'] !== undefined ||
		textOf(headers['transfer-encoding']).toLowerCase() === 'chunked';
	return isMarked ? undefined : 'nothing marks its end';
}

/** The last byte of a text that ends with a line, in every encoding that contains ASCII. */
const LINE_ENDS: (number | undefined)[] = [...Buffer.from('\r\n')];

/**
 * Reads a download to its end, or as far as needed, and always closes it.
 *
 * @throws NodeApiError for the download, its CSV, or n8n's file storage
 * @throws NodeOperationError when the execution was stopped
 */
export async function readDownload<T>(
	{ client, requestInfo }: Pick<OperationContext, 'client' | 'requestInfo'>,
	{ content }: Pick<Download, 'content'>,
	reader: (content: PieceReader) => Promise<T>,
): Promise<T> {
	try {
		// n8n's storage may never answer.
		const result = await content.inTime(reader(content));
		if (mayBeCut(content)) client.reporter.notify(MAY_BE_CUT);
		return result;
	} catch (error) {
		throwIfStopped(client);
		const kind = error instanceof CsvError ? 'unreadableCsv' : 'unstoredFile';
		throw content.failure && !content.isComplete
			? failedError(client, requestInfo, {
					kind: content.failure instanceof SizeError ? 'uncertainDownload' : 'incompleteDownload',
					reason: reasonText(content.failure),
				})
			: failedError(client, requestInfo, { kind, reason: reasonText(error) });
	} finally {
		content.close();
	}
}

/** If it was compressed all the same, in chunks, nothing but its text can show that it ends early. */
const mayBeCut = ({ isComplete, bytes, lastByte, options }: PieceReader): boolean =>
	isComplete && bytes > 0 && !options.size && !LINE_ENDS.includes(lastByte);

const MAY_BE_CUT = shown`The service did not send the length of the file, and its last row has no line end, so rows may be missing. Compare their number with what the service shows.`;

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
