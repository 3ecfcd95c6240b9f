import { countRows, CsvError } from '../../../api/files/csv';
import { csvFileField } from '../../../descriptions/filePart';
import { type CsvFile, csvFromBinary, readFile } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { Audience, AudienceKind } from './audience';

/** A CSV file is sent as it is, and only read to count its rows. */
export const csvFile: AudienceKind<() => Promise<CsvFile>> = {
	option: {
		name: 'CSV File',
		value: 'csv',
		description: 'A CSV file in a binary field, with one column per variable, sent unchanged',
	},
	fields: [csvFileField],
	hasCsv: true,
	isUnchanged: true,
	read: (parameters) =>
		csvFromBinary(parameters, parameters.text('binaryPropertyName', 'required')),
	async find(context, [openFile], { isCounted }) {
		const file = await openFile();
		const counted = isCounted ? await rowCount(context, file) : {};
		return { body: { audienceMode: 'csv' }, file, leftOut: 0, notes: [], ...counted };
	},
};

async function rowCount(
	context: OperationContext,
	{ content }: CsvFile,
): Promise<Pick<Audience, 'count'> | Pick<Audience, 'notes'>> {
	return await readFile(context, content, countRows).then(
		(count) => ({ count }),
		(error: unknown) => {
			if (!(error instanceof CsvError)) throw error;
			return { notes: [`The rows of the CSV file cannot be counted: ${error.message}`] };
		},
	);
}
