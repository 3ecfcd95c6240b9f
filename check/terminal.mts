import { styleText } from 'node:util';
import type { Progress } from './check.mts';
import { countsOf } from './markdown.mts';
import { broken, conclusionOf, type Report } from './report.mts';

const MARKS = {
	holds: { mark: '✓', style: 'green' },
	'does not hold': { mark: '✗', style: 'yellow' },
	'cannot tell': { mark: '?', style: 'gray' },
} as const;

type Style = 'green' | 'yellow' | 'gray' | 'red' | 'bold';
type Paint = (style: Style, text: string) => string;

const painter =
	(colours: boolean): Paint =>
	(style, text) =>
		colours ? styleText(style, text) : text;

/** The report for a terminal. */
export function terminalReport(report: Report, colours: boolean): string {
	const paint = painter(colours);
	const wrong = broken(report);
	const lines = [''];
	if (report.incomplete !== undefined)
		lines.push(paint('red', `Not complete: ${report.incomplete}`), '');
	lines.push(paint(wrong.length > 0 ? 'red' : 'green', conclusionOf(report)), '');
	for (const { question, seen, otherwise, affected } of wrong)
		lines.push(
			`  ${paint('bold', question)} No.`,
			...seen.map((text) => `    ${text}`),
			`    ${otherwise}`,
			`    Affected: ${affected.join(', ')}`,
			'',
		);
	for (const { id, verdict, seen, question } of report.assumptions) {
		const { mark, style } = MARKS[verdict];
		lines.push(`${paint(style, mark)} ${question} ${paint('gray', `(${id})`)}`);
		const shown = seen.slice(0, 4);
		lines.push(...shown.map((text) => `    ${paint('gray', shorten(text))}`));
		if (seen.length > shown.length)
			lines.push(`    ${paint('gray', `… ${seen.length - shown.length} more in the files`)}`);
	}
	if (report.message)
		lines.push(
			'',
			paint('bold', 'After a new message'),
			...report.message.map((line) => `    ${line}`),
		);
	lines.push('', `${countsOf(report)}. ${report.requests} requests.`);
	return lines.join('\n');
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** One line that is written over, on a terminal; nothing otherwise. */
export function progressLine({ step, of, question, requests }: Progress): string {
	const width = 76;
	const text = `[${step}/${of}] ${requests} requests  ${question}`;
	return `\r${text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)}`;
}
