import { runCheck, type CheckResult } from '../../tools/check/check.mts';
import { reportText } from '../../tools/check/report.mts';
import type { Mark } from '../../tools/check/service.mts';
import { say } from '../../tools/check/shown.mts';
import { closedAfterEach, routed, TOKEN } from '../support/plainService.mts';
import { always } from './harness.mts';

const startService = closedAfterEach();

const question = { id: 'id', text: 'Does it?', otherwise: 'Something else happens.', checks: [] };

/** A report about questions with these findings: a mark, and what does not work. */
const report = (...answers: [mark: Mark, ...affected: string[]][][]): string[] =>
	reportText({
		answers: answers.map((findings) => ({
			question,
			findings: findings.map(([mark, ...affected], at) => ({ mark, affected, seen: say`${at}` })),
		})),
		requests: 9,
	} satisfies CheckResult).split('\n');

test.each<[findings: [Mark, ...string[]][], conclusion: string]>([
	[[['✓', 'A']], 'Your service works with this package. Unknown: 0 of 1 questions.'],
	[
		[
			['✗', 'A'],
			['✗', 'A', 'B'],
			['–', 'C'],
		],
		'Your service works with this package, except for: A, B. Unknown: 1 of 3 questions.',
	],
	[[['✗', 'A'], ['?'], ['–']], 'Most could not be checked. Unknown: 2 of 3 questions.'],
])('%j: %s', (findings, conclusion) => {
	expect(report(...findings.map((finding) => [finding]))[0]).toBe(conclusion);
});

test('what is broken comes first, what works last', () => {
	expect(
		report([['✓'], ['–']], [['✓'], ['?']], [['–']], [['✓', 'B'], ['–'], ['✗', 'A']]),
	).toStrictEqual([
		'Your service works with this package, except for: A. Unknown: 2 of 4 questions.',
		'',
		'✗ Does it? (id)',
		'    broken: A. Something else happens.',
		...['    2', '    1', '    0'],
		'? Does it? (id)',
		'    unknown; if not: Something else happens.',
		...['    1', '    0'],
		'? Does it? (id)',
		'    unknown; if not: Something else happens.',
		'    0',
		'✓ Does it? (id)',
		...['    1', '    0'],
		'',
		expect.stringMatching(/^9 requests\. Package \d+\.\d+\.\d+\.$/),
	]);
});

test('a check that throws is unknown, without the message, and the others are made', async () => {
	const { baseUrl } = await startService(routed({ organization: always({}) }));
	const judge = async () => {
		throw new TypeError('Wanda 12025550143');
	};
	const works = async () => ({ mark: '✓' as const, seen: say`it does` });
	const checks = [judge, works].map((one) => ({ affected: [], judge: one }));
	const result = await runCheck(baseUrl, TOKEN, [{ ...question, checks }]);
	expect(result.answers[0]?.findings.map(({ mark }) => mark)).toStrictEqual(['?', '✓']);
	expect(reportText(result)).toContain('the check is not prepared for these responses');
	expect(reportText(result)).not.toMatch(/wanda|12025550143/i);
});
