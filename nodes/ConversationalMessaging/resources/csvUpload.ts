import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import type { FileContent, Upload } from '../api/files';
import type { Parameters } from '../parameters/parameters';
import { formatValue } from '../parameters/values';

/** A CSV file to send: everything of an upload but its fields. */
export type CsvFile = Omit<Upload, 'fields' | 'partName'>;

export function csvText(fileName: string, text: string): CsvFile {
	return { fileName, mimeType: 'text/csv', content: { bytes: Buffer.from(text) } };
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
			`The item has no file in the field ${formatValue(field)}`,
			`In ${parameters.label('binaryPropertyName')}, enter the name of the binary field that contains the CSV file, e.g. data.`,
		);
	}
	return async () => ({
		fileName: binary.fileName || 'upload.csv',
		mimeType: binary.mimeType || 'text/csv',
		content: await contentOf(context, itemIndex, field, binary.id),
	});
}

/** Where the files of an item are depends on n8n's binary mode: n8n's own function knows. */
function binaryOf(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
): IBinaryData | undefined {
	try {
		const binary = context.helpers.assertBinaryData(itemIndex, field);
		// A name like __proto__ finds something that is no file.
		return typeof binary.mimeType === 'string' ? binary : undefined;
	} catch {
		return undefined;
	}
}

/** Byte for byte: which encoding a file has is between its author and the service. */
async function contentOf(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	id: string | undefined,
): Promise<FileContent> {
	if (id) return { stored: id };
	// Without an id, n8n keeps the file in memory.
	return { bytes: await context.helpers.getBinaryDataBuffer(itemIndex, field) };
}
