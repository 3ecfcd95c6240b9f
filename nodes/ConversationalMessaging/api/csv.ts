import Papa from 'papaparse';

/** Rows of a CSV text by its header row. */
export interface CsvTable {
	columns: string[];
	rows: Record<string, string>[];
}

/**
 * Reads a CSV text with a header row (RFC 4180: commas, quotes, doubled quotes, line breaks inside quotes). A byte
 * order mark is skipped. A column of any name, `__proto__` too, is an ordinary key of its row.
 */
export function readCsv(text: string): CsvTable {
	const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
		// Papa Parse would guess from the cells, and guess wrong where they hold tabs or semicolons.
		delimiter: ',',
		skipEmptyLines: true,
	});
	const [columns = [], ...lines] = data;
	// A cell that a line does not have is empty, as it would be in a spreadsheet.
	const rows = lines.map((cells) =>
		Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
	);
	return { columns, rows };
}

/** Writes rows as CSV with a header row, quoted where it has to be. */
export function writeCsv({ columns, rows }: CsvTable): string {
	return Papa.unparse({
		fields: columns,
		data: rows.map((row) => columns.map((column) => row[column] ?? '')),
	});
}
