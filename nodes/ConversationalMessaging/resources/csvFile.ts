import type { IExecuteFunctions } from 'n8n-workflow';
import type { FileContent, Upload } from '../api/files';
import type { Parameters } from '../fields/parameters';

/** A CSV file to send: everything of an upload but its fields. */
export type CsvFile = Omit<Upload, 'fields' | 'partName'>;

export function csvText(fileName: string, text: string): CsvFile {
	return { fileName, mimeType: 'text/csv', content: { text } };
}

/**
 * The file in a binary field of an item, to be read when it is sent.
 *
 * @throws NodeOperationError when the item has no such file
 */
export function csvFromBinary(parameters: Parameters, field: string): () => Promise<CsvFile> {
	const { context, itemIndex } = parameters;
	const binary = binaryOf(context, itemIndex, field);
	if (!binary) {
		throw parameters.invalid(
			`The item has no file in the field ${field}`,
			'Name the binary field that holds the CSV file, e.g. data.',
		);
	}
	return async () => ({
		fileName: binary.fileName ?? 'upload.csv',
		mimeType: binary.mimeType || 'text/csv',
		content: await contentOf(context, itemIndex, field, binary.id),
	});
}

function binaryOf(context: IExecuteFunctions, itemIndex: number, field: string) {
	return context.getInputData()[itemIndex]?.binary?.[field];
}

async function contentOf(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	id: string | undefined,
): Promise<FileContent> {
	if (id) return { stored: id, size: (await context.helpers.getBinaryMetadata(id)).fileSize };
	// Without an id, n8n keeps the file in memory.
	const buffer = await context.helpers.getBinaryDataBuffer(itemIndex, field);
	return { text: buffer.toString('utf8') };
}
