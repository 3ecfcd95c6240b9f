import { textField } from './basicFields';
import type { Collection } from '../parameters/collection';

export const csvFileField = textField('Input Binary Field', 'binaryPropertyName', {
	default: 'data',
	required: true,
	description: 'Name of the binary field that contains the CSV file',
});

/** The option of an operation that sends a CSV file. The service does not document the name. */
export const filePartField = textField('File Field Name', 'partName', {
	default: 'file',
	description:
		'Name of the multipart form field for the CSV file. The service does not document it; change it only if the service rejects the default.',
});

export const filePart = (options: Collection): string => options.text(filePartField.name) ?? 'file';
