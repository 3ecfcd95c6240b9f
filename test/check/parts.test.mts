import { holds, type Assumption } from '../../check/assumption.mts';
import { runCheck, type Finding } from '../../check/check.mts';
import { CheckStopped, type NoAnswer } from '../../check/client.mts';
import { key, word, words } from '../../check/names.mts';
import { conclusionOf, reportText } from '../../check/report.mts';
import { Service } from '../../check/service.mts';
import { say, thrown } from '../../check/shown.mts';
import { routed, startPlain, TOKEN } from '../support/plainService.mts';

describe('names', () => {
	test.each(['id', 'ticketNumber', 'created_at', 'WhatsApp-Number', 'Full Name', '_id'])(
		'%s is shown',
		(name) => {
			expect(key(name).text).toBe(name);
		},
	);

	test.each(['+12025550143', 'a@example.com', 'Zoe', 'gdynia', 'name2', '__proto__', 'ключ', ''])(
		'%j is another key',
		(name) => {
			expect(key(name).text).toBe('other key');
		},
	);

	test.each([
		['IN_PROGRESS', 'IN_PROGRESS'],
		['queued', 'queued'],
		['Completed with errors', 'Completed with errors'],
		['GDYNIA', 'other word'],
		['OPEN_GDYNIA', 'other word'],
		['', 'other word'],
		[7, 'other word'],
	])('the word %j is shown as %s', (value, expected) => {
		expect(word(value).text).toBe(expected);
	});

	test('each word is shown once', () => {
		expect(words(['OPEN', 'Zoe', 'OPEN', 'Ada']).text).toBe('OPEN, other word');
	});
});

describe('requests without a response', () => {
	const service = (failure: NoAnswer) => {
		const client = { sent: 0, get: async () => (client.sent++, failure) };
		return { client, service: new Service(client) };
	};

	test('a slow list does not end the check', async () => {
		const { client, service: slow } = service('timeout');
		const { reading } = await slow.list('tickets');
		await slow.list('tickets');
		expect([reading.failure, client.sent]).toStrictEqual(['timeout', 1]);
	});

	test.each(['timeout', 'connection'] as const)('three in a row end it (%s)', async (failure) => {
		const { service: gone } = service(failure);
		await gone.read('GET /tickets');
		await gone.read('GET /chats');
		await expect(gone.read('GET /users')).rejects.toMatchObject({ name: 'Error' });
	});
});

describe('an assumption that throws', () => {
	const SECRET = 'Wanda 12025550143\n    at check/assumptions/wanda.mts:1:1';

	test('is reported with what happened, and the others are checked', async () => {
		const organization = () => ({ body: { success: true, data: { id: 'o' } } });
		const { baseUrl, close } = await startPlain(routed({ organization }));
		const sound = { id: 'sound', question: 'Is it?', otherwise: 'Nothing.' };
		const broken: Assumption = {
			...sound,
			id: 'broken',
			check: async () => {
				throw new TypeError(SECRET);
			},
		};
		const { findings } = await runCheck({ baseUrl, token: TOKEN }, [
			broken,
			{ ...sound, check: async () => holds() },
		]);
		await close();
		const shown = findings.map(({ verdict, seen }) => [verdict, ...seen.map(({ text }) => text)]);
		const what = expect.stringMatching(
			/^the check is not prepared for these responses \(TypeError[^)]*\); report this as a bug$/,
		);
		expect(shown).toStrictEqual([['cannot tell', what], ['holds']]);
		expect(JSON.stringify(shown)).not.toMatch(/wanda|12025550143/i);
	});

	test('is said with the place in the check, and without the message', () => {
		const error = new RangeError(SECRET);
		error.stack = `RangeError: ${SECRET}\n    at judge (/home/x/check/assumptions/lists.mts:41:7)`;
		expect(thrown(error)).toStrictEqual(say`RangeError in check/assumptions/lists.mts, line ${41}`);
		class Wanda extends Error {
			override name = 'Wanda';
		}
		expect(thrown(new Wanda('x')).text).not.toContain('Wanda');
		expect(thrown('Wanda').text).toBe('exception');
	});
});

const finding = (verdict: Finding['verdict'], affected: string[] = []): Finding => ({
	assumption: {
		id: 'id',
		question: 'Does it?',
		otherwise: 'Something else happens.',
		check: async () => holds(),
	},
	verdict,
	affected,
	seen: [say`this`, say`and that`],
});
const STOPPED = new CheckStopped('Stopped.', 'Again.');

test.each<[findings: Finding[], stopped: CheckStopped | undefined, conclusion: string]>([
	[[finding('holds')], undefined, 'Your service works with this package.'],
	[[finding('does not hold')], undefined, 'Your service works with this package.'],
	[
		[finding('does not hold', ['A']), finding('does not hold', ['A', 'B'])],
		undefined,
		'Your service works with this package, except for: A, B.',
	],
	[
		[finding('holds'), finding('cannot tell')],
		STOPPED,
		'As far as it was checked, your service works with this package. Unknown: 1 of 2 assumptions.',
	],
	[
		[finding('holds'), finding('cannot tell'), finding('cannot tell')],
		undefined,
		'Most could not be checked: this. Unknown: 2 of 3 assumptions.',
	],
	[
		[finding('does not hold', ['A']), finding('cannot tell'), finding('cannot tell')],
		STOPPED,
		'Most could not be checked: the check ended early. What does not work: A. Unknown: 2 of 3 assumptions.',
	],
	[
		[finding('cannot tell')],
		STOPPED,
		'Nothing could be read, so it is unknown whether your service works with this package: the check ended early.',
	],
])('conclusion %#', (findings, stopped, conclusion) => {
	expect(conclusionOf({ findings, stopped })).toBe(conclusion);
});

test('what is broken comes first, what works last, and long texts wrap', () => {
	const findings = [
		finding('holds'),
		finding('cannot tell'),
		finding('does not hold'),
		finding('does not hold', ['Ticket → Get Many']),
	];
	const service = new Service({ get: async () => 'path' });
	const result = { findings, service, requests: 9, stopped: STOPPED };
	expect(reportText(result, 40).split('\n')).toStrictEqual([
		'Not complete: Stopped. Again.',
		'',
		'As far as it was checked, your service',
		'works with this package, except for:',
		'Ticket → Get Many. Unknown: 1 of 4',
		'assumptions.',
		'',
		'✗ Does it? (id)',
		'    broken: Ticket → Get Many. Something',
		'    else happens.',
		'    this',
		'    and that',
		'! Does it? (id)',
		'    works, but: Something else happens.',
		'    this',
		'    and that',
		'? Does it? (id)',
		'    unknown; if not: Something else',
		'    happens.',
		'    this',
		'    and that',
		'✓ Does it? (id)',
		'    this',
		'    and that',
		'',
		'Keys',
		'',
		'4 assumptions. 9 requests. Package',
		expect.stringMatching(/^\d+\.\d+\.\d+\.$/),
	]);
});
