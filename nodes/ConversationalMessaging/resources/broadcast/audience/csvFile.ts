import { countRows, CsvError } from '../../../api/csv';
import type { CsvFile } from '../../../runner/csvUpload';
import type { OperationContext } from '../../../runner/operationContext';
import type { FindAudience } from './audience';

/** A CSV file is sent as it is, and only read to count its rows. */
export const csvFileAudience =
	(read: () => Promise<CsvFile>): FindAudience =>
	async (context, { isCounted }) => {
		const file = await read();
		const rows = isCounted ? await rowCount(context, file) : {};
		return { content: { mode: 'csv', file }, leftOut: 0, notes: [], ...rows };
	};

async function rowCount(
	context: OperationContext,
	{ content }: CsvFile,
): Promise<{ recipients: number } | { notes: string[] }> {
	return await context.readFile(content, countRows).then(
		(recipients) => ({ recipients }),
		(error: unknown) => {
			if (!(error instanceof CsvError)) throw error;
			return { notes: [`The rows of the CSV file cannot be counted: ${error.message}`] };
		},
	);
}
