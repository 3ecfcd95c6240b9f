import { brokenFirst, conclusionOf, countsOf, outcomeText, type Report } from './report.mts';

/** The report for an issue. */
export function markdownOf(report: Report): string {
	return [
		'# Check against a live service',
		'',
		cell(conclusionOf(report)),
		'',
		`Package ${report.package}. ${report.requests} requests, all of them GET. ${countsOf(report)}.`,
		...(report.incomplete === undefined ? [] : ['', `**Not complete:** ${report.incomplete}`]),
		'',
		'## Assumptions',
		'',
		'| Assumption | Result | Seen |',
		'| --- | --- | --- |',
		...brokenFirst(report).map((assumption) => {
			const { id, question, seen } = assumption;
			return `| ${cell(question)} (\`${id}\`) | ${cell(outcomeText(assumption))} | ${seen.map(cell).join('<br>')} |`;
		}),
		...(report.message
			? ['', '## After a new message', '', ...report.message.map((line) => `- ${cell(line)}`)]
			: []),
		'',
		'## Keys',
		'',
		...Object.entries(report.fields).map(
			([name, fields]) =>
				`- **${name}**: ${cell(
					Object.entries(fields)
						.map(([key, type]) => `${key} (${type})`)
						.join(', '),
				)}`,
		),
		'',
	].join('\n');
}

/** "<dynamic key>" must not become HTML, and "|" must not end a cell. */
const cell = (text: string): string =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('|', '\\|');
