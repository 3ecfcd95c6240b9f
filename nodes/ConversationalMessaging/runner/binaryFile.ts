import type { IBinaryData } from 'n8n-workflow';
import type { Parameters } from '../parameters/parameters';
import { formatValue } from '../parameters/values';

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
		`The item has no file in the field ${formatValue(field)}`,
		`In ${parameters.label('binaryPropertyName')}, enter the name of the binary field that contains the ${noun}, e.g. data.`,
	);
}

/** Where the files of an item are stored depends on n8n's binary mode, so n8n's own function is used. */
function binaryOf({ context, itemIndex }: Parameters, field: string): IBinaryData | undefined {
	try {
		const binary = context.helpers.assertBinaryData(itemIndex, field);
		// A name such as __proto__ finds something that is not a file.
		return typeof binary.mimeType === 'string' ? binary : undefined;
	} catch {
		return undefined;
	}
}
