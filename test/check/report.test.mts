import { runCheck, type CheckResult } from '../../tools/check/check.mts';
import { reportText } from '../../tools/check/report.mts';
import type { Mark } from '../../tools/check/service.mts';
import { say } from '../../tools/check/shown.mts';
import { closedAfterEach, routed, TOKEN } from '../support/plainService.mts';
import { always } from './harness.mts';

const startService = closedAfterEach();

const question = { id: 'id', text: 'Does it?', otherwise: 'Something else happens.', checks: [] };

/** A report about questions with these findings. */
const report = (...answers: Mark[][]): string[] =>
	reportText({
		answers: answers.map((marks) => ({
			question,
			findings: marks.map((mark, at) => ({ mark, seen: say`${at}` })),
		})),
		requests: 9,
	} satisfies CheckResult).split('\n');

test.each<[marks: Mark[], conclusion: string]>([
	[['✓'], 'Your service works with this package. Unknown: 0 of 1 questions.'],
	[
		['✗', '✗', '–'],
		'Your service works with this package, except for what is marked ✗. Unknown: 1 of 3 questions.',
	],
	[['✗', '?', '–'], 'Most could not be checked. Unknown: 2 of 3 questions.'],
])('%j: %s', (marks, conclusion) => {
	expect(report(...marks.map((mark) => [mark]))[0]).toBe(conclusion);
});

test('what is broken comes first, what works last', () => {
	expect(report(['✓', '–'], ['✓', '?'], ['–'], ['✓', '–', '✗'])).toStrictEqual([
		'Your service works with this package, except for what is marked ✗. Unknown: 2 of 4 questions.',
		'',
		'✗ Does it? (id)',
		'    broken: Something else happens.',
		...['    ✓ 0', '    – 1', '    ✗ 2'],
		'? Does it? (id)',
		'    unknown; if not: Something else happens.',
		...['    ✓ 0', '    ? 1'],
		'? Does it? (id)',
		'    unknown; if not: Something else happens.',
		'    – 0',
		'✓ Does it? (id)',
		...['    ✓ 0', '    – 1'],
		'',
		expect.stringMatching(/^9 requests\. Package \d+\.\d+\.\d+\.$/),
	]);
});

test('a check that throws is unknown, without the message, and the others are made', async () => {
	const { baseUrl } = await startService(routed({ organization: always({}) }));
	const fails = async () => {
		throw new TypeError('Wanda 12025550143');
	};
	const works = async () => ({ mark: '✓' as const, seen: say`it does` });
	const result = await runCheck(baseUrl, TOKEN, [{ ...question, checks: [fails, works] }]);
	expect(result.answers[0]?.findings.map(({ mark }) => mark)).toStrictEqual(['?', '✓']);
	expect(reportText(result)).toContain('the check is not prepared for these responses');
	expect(reportText(result)).not.toMatch(/wanda|12025550143/i);
});
