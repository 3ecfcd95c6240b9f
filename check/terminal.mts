import { styleText } from 'node:util';
import type { Progress } from './check.mts';
import {
	brokenFirst,
	conclusionOf,
	countsOf,
	outcomeOf,
	outcomeText,
	type Report,
	type ReportedAssumption,
} from './report.mts';

const MARKS = {
	works: { mark: '✓', style: 'green' },
	'works, but': { mark: '!', style: 'yellow' },
	broken: { mark: '✗', style: 'red' },
	unknown: { mark: '?', style: 'gray' },
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
	const lines = [''];
	if (report.incomplete !== undefined)
		lines.push(paint('red', `Not complete: ${report.incomplete}`), '');
	const isBroken = report.assumptions.some(({ affected }) => affected.length > 0);
	lines.push(paint(isBroken ? 'red' : 'green', conclusionOf(report)), '');
	lines.push(...brokenFirst(report).flatMap((assumption) => linesOf(assumption, paint)));
	if (report.message)
		lines.push(
			'',
			paint('bold', 'After a new message'),
			...report.message.map((line) => `    ${line}`),
		);
	lines.push('', `${countsOf(report)}. ${report.requests} requests.`);
	return lines.join('\n');
}

function linesOf(assumption: ReportedAssumption, paint: Paint): string[] {
	const { id, question, seen } = assumption;
	const outcome = outcomeOf(assumption);
	const { mark, style } = MARKS[outcome];
	const most = outcome === 'works' ? 4 : 8;
	return [
		`${paint(style, mark)} ${question} ${outcome === 'works' ? 'works ' : ''}${paint('gray', `(${id})`)}`,
		...(outcome === 'works' ? [] : [`    ${outcomeText(assumption)}`]),
		...seen.slice(0, most).map((text) => `    ${paint('gray', shorten(text))}`),
		...(seen.length > most
			? [`    ${paint('gray', `… ${seen.length - most} more in the files`)}`]
			: []),
	];
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** One line that is written over, on a terminal; nothing otherwise. */
export function progressLine({ step, of, question, requests }: Progress): string {
	const width = 76;
	const text = `[${step}/${of}] ${requests} requests  ${question}`;
	return `\r${text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)}`;
}
