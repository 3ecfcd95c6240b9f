import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { shown } from '../api/access/shown';
import { inPieces } from '../api/base/streams';
import { reasonText } from '../api/errors';
import { failedError } from '../api/failures';
import { type FileContent, type Upload, openStored } from '../api/files/multipart';
import type { Parameters } from '../parameters/parameters';
import { formatValue } from '../parameters/values';
import type { OperationContext } from './operationContext';

/**
 * The file in a binary field of an item.
 *
 * @param noun what the file is, for the message
 * @throws NodeOperationError if the item has no such file
 */
export function binaryFile(parameters: Parameters, field: string, noun: string): IBinaryData {
	const binary = binaryOf(parameters, field);
	if (binary) return binary;
	throw parameters.invalid(
		shown`The item has no file in the field ${formatValue(field)}`,
		shown`In ${parameters.label('binaryPropertyName')}, enter the name of the binary field that contains the ${noun}, e.g. data.`,
	);
}

/** Where the files of an item are stored depends on n8n's binary mode, so n8n's own function is used. */
function binaryOf({ n8n, itemIndex }: Parameters, field: string): IBinaryData | undefined {
	try {
		const binary = n8n.helpers.assertBinaryData(itemIndex, field);
		// A name such as __proto__ finds something that is not a file.
		return typeof binary.mimeType === 'string' ? binary : undefined;
	} catch {
		return undefined;
	}
}

/** A CSV file to send: an upload without its form fields. */
export type CsvFile = Omit<Upload, 'fields' | 'partName'>;

export function csvText(fileName: string, text: string): CsvFile {
	return { fileName, mimeType: 'text/csv', content: { bytes: Buffer.from(text) } };
}

/** The file in a binary field of an item, read when it is sent. @throws NodeOperationError if the item has no such file */
export function csvFromBinary(parameters: Parameters, field: string): () => Promise<CsvFile> {
	const { n8n, itemIndex } = parameters;
	const binary = binaryFile(parameters, field, 'CSV file');
	const fileName = binary.fileName || 'upload.csv';
	return async () => ({
		fileName,
		// A browser on a computer with Excel calls it Excel's, and a server may call it anything.
		mimeType: /\.csv$/i.test(fileName) ? 'text/csv' : binary.mimeType || 'text/csv',
		content: await contentOf(n8n, itemIndex, field, binary.id),
	});
}

/** Byte for byte: the file's encoding is not this node's concern. */
async function contentOf(
	n8n: IExecuteFunctions,
	itemIndex: number,
	field: string,
	id: string | undefined,
): Promise<FileContent> {
	if (id) return { stored: id };
	// A file without an id is in memory.
	return { bytes: await n8n.helpers.getBinaryDataBuffer(itemIndex, field) };
}

/**
 * Reads a file of the workflow piece by piece, and closes it.
 *
 * @throws NodeApiError if n8n cannot open it or read it to its end
 * @throws CsvError, and whatever else the reader throws
 */
export async function readFile<T>(
	context: OperationContext,
	content: FileContent,
	reader: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
	if ('bytes' in content) return await reader(inPieces(content.bytes));
	const { client, requestInfo } = context;
	const unread = (error: unknown) =>
		failedError(client, requestInfo, { kind: 'unreadFile', reason: reasonText(error) });
	const { source } = await openStored(client, content.stored).catch((error: unknown) => {
		context.throwIfStopped();
		throw unread(error);
	});
	const close = () => source.close(new Error('stopped'));
	client.signal?.addEventListener('abort', close, { once: true });
	return await reader(source)
		.catch((error: unknown) => {
			context.throwIfStopped();
			throw source.failure ? unread(source.failure) : error;
		})
		.finally(() => {
			client.signal?.removeEventListener('abort', close);
			source.close();
		});
}
