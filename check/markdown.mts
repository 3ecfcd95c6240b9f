import { byOutcome, conclusionOf, countsOf, outcomeText, type Report } from './report.mts';

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
		...byOutcome(report).map((assumption) => {
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
			([name, fields]) => `- **${name}**: ${cell(fields.join(', '))}`,
		),
		'',
	].join('\n');
}

/** Nothing becomes HTML, and "|" does not end a cell. */
const cell = (text: string): string =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('|', '\\|');
