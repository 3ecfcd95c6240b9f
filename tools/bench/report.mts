/** The median of an odd number of measurements. */
export function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Says on standard error what is being measured: a benchmark takes minutes. */
export function progress(what: string): void {
	console.error(`  ${what} …`);
}

/** Prints a table with aligned columns. */
export function report(title: string, rows: string[][]): void {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0)),
	);
	console.log(`\n${title}\n`);
	for (const row of rows)
		console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
	console.log();
}
