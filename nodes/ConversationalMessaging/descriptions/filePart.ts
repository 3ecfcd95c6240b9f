import type { INodeProperties } from 'n8n-workflow';
import type { Collection } from '../parameters/collection';

/** The file of an operation that sends a CSV file. */
export const csvFileField: INodeProperties = {
	displayName: 'Input Binary Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	description: 'Name of the binary field that contains the CSV file',
};

/** The option of an operation that sends a CSV file. The service does not document the name. */
export const filePartField: INodeProperties = {
	displayName: 'File Field Name',
	name: 'partName',
	type: 'string',
	default: 'file',
	description:
		'Name of the multipart form field for the CSV file. The service does not document it; change it only if the service rejects the default.',
};

/** The name of the multipart form field for the file. */
export const filePart = (options: Collection): string => options.text(filePartField.name) ?? 'file';
