import { readFileSync } from 'node:fs';
import type { CheckResult } from './check.mts';
import type { Mark } from './service.mts';

type Answer = CheckResult['answers'][number];

/** What a question begins with, in the order of the report. The first one that was found answers it. */
const MARKS = ['✗', '?', '✓'] as const;
const CONSEQUENCES = { '✗': 'broken: ', '?': 'unknown; if not: ', '✓': undefined };

const { version } = JSON.parse(
	readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** The report: the conclusion, then what does not work, what is unknown, and what works. */
export function reportText({ answers, requests }: CheckResult): string {
	const having = (mark: Mark) => answers.filter((answer) => markOf(answer) === mark);
	const unknown = having('?').length;
	const exception = having('✗').length > 0 ? ', except for what is marked ✗' : '';
	const conclusion =
		unknown * 2 > answers.length
			? 'Most could not be checked.'
			: `Your service works with this package${exception}.`;
	return [
		`${conclusion} Unknown: ${unknown} of ${answers.length} questions.`,
		...['', ...MARKS.flatMap(having).flatMap(linesOf), ''],
		`${requests} requests. Package ${version}.`,
	].join('\n');
}

const markOf = ({ findings }: Answer): (typeof MARKS)[number] =>
	MARKS.find((mark) => findings.some((finding) => finding.mark === mark)) ?? '?';

function linesOf(answer: Answer): string[] {
	const { question, findings } = answer;
	const consequence = CONSEQUENCES[markOf(answer)];
	const texts = [...new Set(findings.map(({ mark, seen }) => `${mark} ${seen.text}`))];
	if (consequence) texts.unshift(`${consequence}${question.otherwise}`);
	const head = `${markOf(answer)} ${question.text} (${question.id})`;
	return [head, ...texts.map((text) => `    ${text}`)];
}
