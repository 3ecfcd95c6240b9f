import { reportText, runCheck, type CheckResult } from '../../tools/check/check.mts';
import { CheckStopped, type NoAnswer } from '../../tools/check/client.mts';
import type { Finding, Question } from '../../tools/check/questions.mts';
import { Service } from '../../tools/check/service.mts';
import { keysOf, say, wordsOf } from '../../tools/check/shown.mts';
import { routed, startPlain, TOKEN } from '../support/plainService.mts';

describe('what a report may show', () => {
	test.each<[rows: object[], text: string]>([
		[[{ id: 1, assigneeId: 2 }], 'id, assigneeId'],
		// Of one record, a key that the contract does not name may be data.
		[[{ id: 1, anna: 2 }], 'id, 1 others'],
		[
			[
				{ id: 1, anna: 2 },
				{ id: 1, anna: 2 },
			],
			'id, 1 others',
		],
		[
			[
				{ id: 1, stage: 2 },
				{ id: 1, stage: 2 },
				{ id: 1, stage: 2, '+12025550143': 1 },
			],
			'id, stage, 1 others',
		],
		[Array.from({ length: 9 }, () => ({ 'a@example.com': 1, 'two words': 2 })), '2 others'],
		[[{}], ''],
	])('the keys of %j: %s', (rows, text) => {
		expect(keysOf(rows as never).text).toBe(text);
	});

	test.each<[words: string[], text: string]>([
		[['IN_PROGRESS', 'open', 'open'], 'IN_PROGRESS, open'],
		[['Completed with errors', 'queued'], 'Completed with errors, queued'],
		[['GDYNIA', 'Zoe', 'OPEN_ZOE'], 'another word'],
	])('the words %j: %s', (words, text) => {
		expect(wordsOf(words).text).toBe(text);
	});
});

describe('requests without a response', () => {
	const service = (failure: NoAnswer) => {
		const client = { sent: 0, get: async () => (client.sent++, failure) };
		return { client, service: new Service(client) };
	};

	test('a slow list does not end the check', async () => {
		const { client, service: slow } = service('timeout');
		const { problem } = await slow.list('tickets');
		await slow.list('tickets');
		expect([problem?.text, client.sent]).toStrictEqual([
			'GET /tickets: no response within 30 s',
			1,
		]);
	});

	test.each(['timeout', 'connection'] as const)('three in a row end it (%s)', async (failure) => {
		const { service: gone } = service(failure);
		await gone.read('GET /tickets');
		await gone.read('GET /chats');
		await expect(gone.read('GET /users')).rejects.toBeInstanceOf(CheckStopped);
	});
});

const question = (finding: () => Finding): Question => ({
	...{ id: 'id', text: 'Does it?', otherwise: 'Something else happens.' },
	check: async () => finding(),
});
const finding = (answer: Finding['answer'], affected: string[] = []): Finding => ({
	answer,
	affected,
	seen: [say`this`, say`and that`],
});

test('a question that throws is unknown, without the message, and the others are asked', async () => {
	const organization = () => ({ body: { success: true, data: { id: 'o' } } });
	const { baseUrl, close } = await startPlain(routed({ organization }));
	const broken = question(() => {
		throw new TypeError('Wanda 12025550143');
	});
	const result = await runCheck({ baseUrl, token: TOKEN }, [
		broken,
		question(() => finding('yes')),
	]);
	await close();
	expect(result.findings.map(({ answer }) => answer)).toStrictEqual(['unknown', 'yes']);
	expect(reportText(result)).toContain('the check is not prepared for these responses');
	expect(reportText(result)).not.toMatch(/wanda|12025550143/i);
});

const STOPPED = new CheckStopped('Stopped.', 'Again.');
const report = (findings: Finding[], stopped?: CheckStopped): string[] => {
	const asked = findings.map((found) => ({ ...found, question: question(() => found) }));
	return reportText({ findings: asked, requests: 9, stopped } satisfies CheckResult).split('\n');
};

test.each<[findings: Finding[], conclusion: string]>([
	[[finding('yes')], 'Your service works with this package. Unknown: 0 of 1 questions.'],
	[[finding('no')], 'Your service works with this package. Unknown: 0 of 1 questions.'],
	[
		[finding('no', ['A']), finding('no', ['A', 'B'])],
		'Your service works with this package, except for: A, B. Unknown: 0 of 2 questions.',
	],
	[
		[finding('no', ['A']), finding('unknown'), finding('unknown')],
		'Most could not be checked. Unknown: 2 of 3 questions.',
	],
])('conclusion %#', (findings, conclusion) => {
	expect(report(findings)[0]).toBe(conclusion);
});

test('what is broken comes first, what works last', () => {
	const findings = [
		finding('yes'),
		finding('unknown'),
		finding('no'),
		finding('no', ['Ticket → Get Many']),
	];
	expect(report(findings, STOPPED)).toStrictEqual([
		'Not complete: Stopped. Again.',
		'Your service works with this package, except for: Ticket → Get Many. Unknown: 1 of 4 questions.',
		'',
		'✗ Does it? (id)',
		'    broken: Ticket → Get Many. Something else happens.',
		'    this',
		'    and that',
		'! Does it? (id)',
		'    works, but: Something else happens.',
		'    this',
		'    and that',
		'? Does it? (id)',
		'    unknown; if not: Something else happens.',
		'    this',
		'    and that',
		'✓ Does it? (id)',
		'    this',
		'    and that',
		'',
		expect.stringMatching(/^9 requests\. Package \d+\.\d+\.\d+\.$/),
	]);
});
