import { styleText } from 'node:util';
import type { Progress } from './check.mts';
import {
	byOutcome,
	conclusionOf,
	countsOf,
	isMostlyUnknown,
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

/** The report for a terminal with so many columns. */
export function terminalReport(report: Report, colours: boolean, columns = 100): string {
	const paint = (style: Style, text: string): string => (colours ? styleText(style, text) : text);
	/** Lines of text, those after the first one indented as well. */
	const wrapped = (text: string, indent: number, style?: Style): string[] =>
		wrap(text, columns - indent).map(
			(line) => `${' '.repeat(indent)}${style ? paint(style, line) : line}`,
		);
	const linesOf = (assumption: ReportedAssumption): string[] => {
		const { id, question, seen } = assumption;
		const outcome = outcomeOf(assumption);
		const { mark, style } = MARKS[outcome];
		const most = outcome === 'works' ? 4 : 8;
		const more = seen.length > most ? [`… ${seen.length - most} more in the files`] : [];
		const [head = '', ...rest] = wrapped(
			`${question} ${outcome === 'works' ? 'works ' : ''}(${id})`,
			2,
		);
		return [
			`${paint(style, mark)} ${head.trimStart()}`,
			...rest,
			...(outcome === 'works' ? [] : wrapped(outcomeText(assumption), 4)),
			...[...seen.slice(0, most), ...more].flatMap((text) => wrapped(shorten(text), 4, 'gray')),
		];
	};
	const isBroken = report.assumptions.some(({ affected }) => affected.length > 0);
	const style = isBroken ? 'red' : isMostlyUnknown(report) ? 'yellow' : 'green';
	return [
		'',
		...(report.incomplete === undefined
			? []
			: [...wrapped(`Not complete: ${report.incomplete}`, 0, 'red'), '']),
		...wrapped(conclusionOf(report), 0, style),
		'',
		...byOutcome(report).flatMap(linesOf),
		...(report.message
			? [
					'',
					paint('bold', 'After a new message'),
					...report.message.flatMap((line) => wrapped(line, 4)),
				]
			: []),
		'',
		...wrapped(`${countsOf(report)}. ${report.requests} requests.`, 0),
	].join('\n');
}

/** Breaks a text between words. A word that is longer than the width stays whole. */
function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= width)
			lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 299)}…` : text);

/** One line that is written over, on a terminal; nothing otherwise. */
export function progressLine({ step, of, question, requests }: Progress): string {
	const width = 76;
	const text = `[${step}/${of}] ${requests} requests  ${question}`;
	return `\r${text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)}`;
}
