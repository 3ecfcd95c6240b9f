import { broken, conclusionOf, type Report, type ReportedAssumption } from './report.mts';

/** The report for an issue. */
export function markdownOf(report: Report): string {
	const wrong = broken(report);
	const counts = countsOf(report);
	return [
		'# Check against a live service',
		'',
		cell(conclusionOf(report)),
		'',
		`Package ${report.package}. ${report.requests} requests, all of them GET. ${counts}.`,
		...(report.incomplete === undefined ? [] : ['', `**Not complete:** ${report.incomplete}`]),
		...(wrong.length === 0 ? [] : ['', '## What does not work', '', ...wrong.flatMap(wrongLines)]),
		'',
		'## Assumptions',
		'',
		'| Assumption | Verdict | Seen |',
		'| --- | --- | --- |',
		...report.assumptions.map(
			({ id, question, verdict, seen }) =>
				`| ${cell(question)} (\`${id}\`) | ${verdict} | ${seen.map(cell).join('<br>')} |`,
		),
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

function wrongLines({ question, seen, otherwise, affected }: ReportedAssumption): string[] {
	return [
		`- **${cell(question)}** No: ${seen.map(cell).join('; ')}.`,
		`  ${cell(otherwise)}`,
		`  Affected: ${affected.map(cell).join(', ')}.`,
	];
}

export function countsOf({ assumptions }: Report): string {
	const count = (verdict: string) =>
		assumptions.filter((assumption) => assumption.verdict === verdict).length;
	return `${assumptions.length} assumptions: ${count('holds')} hold, ${count('does not hold')} do not, ${count('cannot tell')} cannot be told`;
}

/** "<dynamic key>" must not become HTML, and "|" must not end a cell. */
const cell = (text: string): string =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('|', '\\|');
