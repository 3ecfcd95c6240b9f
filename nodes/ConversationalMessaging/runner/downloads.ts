import type { IDataObject } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import type { CsvHeader } from '../api/files/csv';
import { readCsv, readCsvHeader } from '../api/files/csv';
import type { Download } from '../api/reads/download';
import { fileNameIn, readDownload } from '../api/reads/download';
import { unexpectedShapeError } from '../api/errors';
import type { PieceReader } from '../api/base/streams';
import { textOf } from '../api/base/text';
import type { CsvTarget } from '../descriptions/csvOutput';
import type { OperationContext, OperationRequest } from './operationContext';
import type { Output } from './output';

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
	const binary = await read(context, file, async (content) => {
		const stream = content.streamOf((pieces) => pieces);
		const { helpers } = context.n8n;
		return await helpers.prepareBinaryData(stream, file.fileName ?? fileName, file.mimeType);
	});
	const { fileName: name, mimeType, fileSize } = binary;
	return [{ json: { fileName: name, mimeType, fileSize }, binary: { [target.field]: binary } }];
}

/** Fetches the rows of a CSV. The user gets a notice if characters were lost. */
export async function downloadRows(
	context: OperationContext,
	request: OperationRequest,
): Promise<IDataObject[]> {
	const file = await download(context, request);
	const { rows, isDamaged } = await read(
		context,
		file,
		async (content) => await readCsv(content, file.charset),
	);
	if (isDamaged)
		context.notify(
			shown`${context.requestInfo.action}: characters that could not be read are shown as �. The file is not in ${file.charset ?? 'UTF-8'}, or already contains them.`,
		);
	return rows;
}

/** Fetches the header row of a CSV, once for all items. */
export async function downloadHeader(
	context: OperationContext,
	request: OperationRequest,
): Promise<CsvHeader> {
	return await context.once(`header ${JSON.stringify(request)}`, async () => {
		const file = await download(context, request);
		return await read(context, file, async (content) => await readCsvHeader(content, file.charset));
	});
}

/** Fetches a file. Read it: until then, its download is open. */
async function download(context: OperationContext, request: OperationRequest): Promise<Download> {
	const { content, headers, status } = await context.send({ ...request, download: true });
	if (!content)
		throw unexpectedShapeError(context.client, { ...context.requestInfo, ...request }, 'file');
	const type = status === 204 ? '' : textOf(headers['content-type']);
	const mimeType = type.split(';')[0]?.trim();
	return {
		content,
		fileName: fileNameIn(headers['content-disposition']),
		mimeType: mimeType || 'text/csv',
		charset: /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1],
	};
}

const read = async <T>(
	{ client, requestInfo }: OperationContext,
	{ content }: Download,
	reader: (content: PieceReader) => Promise<T>,
): Promise<T> => await readDownload(client, requestInfo, content, reader);
