import { countRows, CsvError } from '../../../api/files/csv';
import type { CsvFile } from '../../../runner/itemFile';
import { csvFromBinary, readFile } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { AudienceKind } from './audience';

/** A CSV file is sent as it is, and only read to count its rows. */
export const csvFile: AudienceKind = {
	option: {
		name: 'CSV File',
		value: 'csv',
		description: 'A CSV file in a binary field, with one column per variable, sent unchanged',
	},
	fields: [
		{
			displayName: 'Input Binary Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			required: true,
			description: 'Name of the binary field that contains the CSV file',
		},
	],
	hasCsv: true,
	isUnchanged: true,
	read(parameters) {
		const openFile = csvFromBinary(parameters, parameters.required('binaryPropertyName'));
		return {
			find: async (context, { isCounted }) => {
				const file = await openFile();
				const rows = isCounted ? await rowCount(context, file) : {};
				return { body: { audienceMode: 'csv' }, file, leftOut: 0, notes: [], ...rows };
			},
		};
	},
};

async function rowCount(
	context: OperationContext,
	{ content }: CsvFile,
): Promise<{ recipients: number } | { notes: string[] }> {
	return await readFile(context, content, countRows).then(
		(recipients) => ({ recipients }),
		(error: unknown) => {
			if (!(error instanceof CsvError)) throw error;
			return { notes: [`The rows of the CSV file cannot be counted: ${error.message}`] };
		},
	);
}
