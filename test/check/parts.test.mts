import { holds, type Assumption } from '../../check/assumption.mts';
import { missingId } from '../../check/assumptions/lists.mts';
import { runCheck } from '../../check/check.mts';
import type { NoAnswer } from '../../check/client.mts';
import { key, word, words } from '../../check/names.mts';
import { conclusionOf, type Report, type ReportedAssumption } from '../../check/report.mts';
import { Service } from '../../check/service.mts';
import { say, thrown } from '../../check/shown.mts';
import { terminalReport } from '../../check/terminal.mts';
import { routed, startPlain, TOKEN } from './plainService.mts';

test.each([
	['42', '942'],
	['cm0000000000000abc01xyz99', 'cm0000000000000abc12xyz00'],
	['0193f5a2-7b1c-7def-8abc-0123456789ab', '0193f5a2-7b1c-7def-8abc-0124567890ab'],
	['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ70G6FAV'],
	['ticket-b', 'ticket-0'],
])('instead of %s, the ID %s is requested, in the same form', (id, expected) => {
	expect(missingId([id])).toBe(expected);
});

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

	test('a list that is slow in every size does not end the check', async () => {
		const { client, service: slow } = service('timeout');
		const { reading } = await slow.largePage('tickets');
		expect([reading.failure, client.sent]).toStrictEqual(['timeout', 2]);
		await slow.largePage('chats');
		expect(client.sent).toBe(4);
	});

	test('a route that did not respond in time is not asked again, whatever the query', async () => {
		const { client, service: slow } = service('timeout');
		await slow.list('tickets', { limit: 20 });
		const { reading } = await slow.list('tickets', { limit: 20, status: 'OPEN' });
		expect(reading.failure).toBe('timeout');
		await slow.read('GET /tickets/{id}', { path: { id: '1' } });
		await slow.read('GET /tickets/{id}', { path: { id: '2' } });
		expect(client.sent).toBe(2);
	});

	test('a route whose connection was interrupted is asked again', async () => {
		const { client, service: broken } = service('connection');
		await broken.list('tickets', {});
		await broken.list('tickets', { status: 'OPEN' });
		expect(client.sent).toBe(2);
	});

	test.each(['timeout', 'connection'] as const)('three routes end it (%s)', async (failure) => {
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
		const sound = { id: 'sound', question: 'Is it?', settles: [], otherwise: 'Nothing.' };
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

const reported = (
	verdict: ReportedAssumption['verdict'],
	affected: string[] = [],
): ReportedAssumption => ({
	id: 'id',
	question: 'Does it?',
	verdict,
	affected,
	otherwise: 'Something else happens.',
	seen: ['this', 'and that'],
});

const reportWith = (assumptions: ReportedAssumption[], incomplete?: string): Report => ({
	format: 1,
	package: '1.0.0',
	requests: 9,
	fields: {},
	assumptions,
	...(incomplete !== undefined && { incomplete }),
});

test.each<[assumptions: ReportedAssumption[], incomplete: string | undefined, conclusion: string]>([
	[[reported('holds')], undefined, 'Your service works with this package.'],
	[[reported('does not hold')], undefined, 'Your service works with this package.'],
	[
		[reported('does not hold', ['A']), reported('does not hold', ['A', 'B'])],
		undefined,
		'Your service works with this package, but for: A, B.',
	],
	[
		[reported('holds'), reported('cannot tell')],
		'Stopped.',
		'As far as it was checked, your service works with this package. Unknown: 1 of 2 assumptions.',
	],
	[
		[reported('holds'), reported('cannot tell'), reported('cannot tell')],
		undefined,
		'Most could not be checked: this. Unknown: 2 of 3 assumptions.',
	],
	[
		[reported('does not hold', ['A']), reported('cannot tell'), reported('cannot tell')],
		'Stopped.',
		'Most could not be checked: the check ended early. What does not work: A. Unknown: 2 of 3 assumptions.',
	],
	[
		[reported('cannot tell')],
		'Stopped.',
		'Nothing could be read, so it is unknown whether your service works with this package.',
	],
])('a report of %j, incomplete: %j, concludes: %s', (assumptions, incomplete, conclusion) => {
	expect(conclusionOf(reportWith(assumptions, incomplete))).toBe(conclusion);
});

test('on the terminal, what is broken comes first, what works last, and long texts wrap', () => {
	const report = reportWith([
		reported('holds'),
		reported('cannot tell'),
		reported('does not hold'),
		reported('does not hold', ['Ticket → Get Many']),
	]);
	expect(terminalReport(report, false, 40).split('\n')).toStrictEqual([
		'',
		'Your service works with this package,',
		'but for: Ticket → Get Many. Unknown: 1',
		'of 4 assumptions.',
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
		'✓ Does it? works (id)',
		'    this',
		'    and that',
		'',
		'4 assumptions: 1 work, 1 work with a',
		'difference, 1 broken, 1 unknown. 9',
		'requests.',
	]);
});
