import type { IExecuteFunctions } from 'n8n-workflow';
import type { FileContent, Upload } from '../api/files';
import type { Parameters } from '../parameters/parameters';
import { binaryFile } from './binaryFile';

/** A CSV file to send: an upload without its form fields. */
export type CsvFile = Omit<Upload, 'fields' | 'partName'>;

export function csvText(fileName: string, text: string): CsvFile {
	return { fileName, mimeType: 'text/csv', content: { bytes: Buffer.from(text) } };
}

/**
 * The file in a binary field of an item, read when it is sent.
 *
 * @throws NodeOperationError if the item has no such file
 */
export function csvFromBinary(parameters: Parameters, field: string): () => Promise<CsvFile> {
	const { context, itemIndex } = parameters;
	const binary = binaryFile(parameters, field, 'CSV file');
	return async () => ({
		fileName: binary.fileName || 'upload.csv',
		mimeType: binary.mimeType || 'text/csv',
		content: await contentOf(context, itemIndex, field, binary.id),
	});
}

/** Byte for byte: the file's encoding is not this node's concern. */
async function contentOf(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	id: string | undefined,
): Promise<FileContent> {
	if (id) return { stored: id };
	// A file without an id is in memory.
	return { bytes: await context.helpers.getBinaryDataBuffer(itemIndex, field) };
}
