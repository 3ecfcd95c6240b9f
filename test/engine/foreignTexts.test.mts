/** Texts of a service, and of users, that are shown: in hints, in errors, and in n8n's log. */
import { LoggerProxy } from 'n8n-workflow';
import type { Fault, FaultyRequest } from '../../sandbox/faults.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { captureLog, CONTINUE, on, SharedHarness } from './sharedHarness.mts';
import { triggersOf } from './triggerHarness.mts';

const service = new SharedHarness({ contacts: 3, tickets: 1 });
const token = 'wa_pk_sandbox_all_permissions';

/** What the nodes write to n8n's log, and what n8n itself writes there. */
const log = { nodes: [] as string[], n8n: [] as string[] };
beforeEach(() => {
	const writeTo = (lines: string[]) => (entry: unknown, more?: unknown) =>
		void lines.push(typeof entry === 'string' && !more ? entry : JSON.stringify([entry, more]));
	const write = writeTo((log.n8n = []));
	LoggerProxy.init({ debug: write, info: write, warn: write, error: write });
	captureLog(writeTo((log.nodes = [])));
});

/** Everything that somebody sees, or that a program reads from the log. n8n writes the parameters of a node as entered. */
function expectHarmless(texts: (string | null | undefined)[]) {
	for (const text of [...texts, ...log.nodes]) {
		expect(text ?? '').not.toMatch(/wa_pk_\w/i);
		expect(text ?? '').not.toMatch(/[\p{Cc}\u202e\u2028]|<a/u);
		expect((text ?? '').length).toBeLessThan(1_000);
	}
}

/** Of the longest texts, in megabytes; everything is cut long before. */
const MB = process.env.LONG ? 5 : 0.2;

const HOSTILE: [what: string, text: string][] = [
	['the token', `ended ${token}`],
	['the token in capitals', `ended ${token.toUpperCase()}`],
	['line breaks', 'ended\r\n2026-11-23 | info | forged'],
	['colors of a terminal', '\u001b[31mended\u001b[0m'],
	['a link', '<a href="https://evil.example.com">ended</a>'],
	['reversed text', 'ended\u202egnidne\u2028'],
	[`${MB} MB`, 'ended '.repeat(MB * 170_000)],
];
const TICKETS = { resource: 'ticket', operation: 'getAll' };

describe.each(HOSTILE)('%s', (_what, text) => {
	test('as a status that a wait reads is harmless in hints, errors and the log', async () => {
		const wait = { ...WELCOME_BROADCAST, audience: 'list', recipients: '12025550143' };
		for (const requireSuccess of [false, true]) {
			service.respond({ success: true, data: { id: 'x', status: text } }, on('GET', 999));
			const options = { waitForCompletionMinutes: 1, requireSuccess };
			const { error, hints } = await service.run({ ...wait, options });
			expect(error === undefined ? hints.length : error.message.length).toBeGreaterThan(0);
			expectHarmless([...hints, error?.message, error?.description]);
		}
	});

	test('as the message of a rejection is harmless', async () => {
		for (const body of [
			{ error: text },
			{ errors: { [text]: [text] } },
			{ detail: [{ loc: [text], msg: text }] },
		]) {
			service.reject(422, { times: 2 }, body);
			const { message, description } = await service.error(TICKETS);
			const { json } = await service.run(TICKETS, CONTINUE);
			expectHarmless([message, description, json[0]!.error as string]);
		}
	});

	test('as a page instead of a response, or the address of a redirect is harmless', async () => {
		service.respondWith('text/plain', text, {}, 400);
		const rejected = await service.error(TICKETS);
		const header = encodeURIComponent(text).slice(0, 8_000);
		service.respondWith(`text/csv; charset=${header}`, 'a,b\n1,2\n');
		const read = await service.run({ resource: 'contact', operation: 'export', output: 'items' });
		const headers = { location: `https://${header}.example.com/` };
		service.sandbox.faults.add({ kind: 'status', status: 302, headers, body: '' });
		const redirected = await service.error(TICKETS);
		for (const error of [rejected, read.error, redirected])
			expectHarmless([error?.message, error?.description]);
	});

	test('as the name of a field that the trigger asks for is harmless', async () => {
		const { fetchTestEvent } = triggersOf(service);
		const matches = ({ path }: FaultyRequest) => path.endsWith('/messages');
		service.respond({ success: true, data: [{ id: 'm1', [text]: 'x' }] }, { times: 99, matches });
		const { error } = await fetchTestEvent({ events: ['messageReceived'] });
		expect(error!.description).toMatch(/The fields of a message are: id, /);
		expectHarmless([error!.message, error!.description]);
	});

	test('as a value that the user entered is harmless', async () => {
		const number = { resource: 'contact', operation: 'create', name: 'A', waId: text };
		const { message, description } = await service.error(number);
		expectHarmless([message, description]);
		const { hints } = await service.run({ ...TICKETS, options: { outputFieldNames: text } });
		expect(hints).toHaveLength(1);
		expectHarmless(hints);
	});
});

const CREATE = { operation: 'create', title: 'T' };

describe('a response that is nested so deeply that a program cannot handle it', () => {
	const deep = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
	const bodies: [where: string, body: (inner: string) => string][] = [
		['beside the record', (inner) => `{"success":true,"data":{"id":"x"},"error":${inner}}`],
		['in the record', (inner) => `{"success":true,"data":{"id":"x","more":${inner}}}`],
		[
			'in the rows of a list',
			(inner) => `{"success":true,"data":[{"id":"x"},{"id":"y","more":${inner}}]}`,
		],
	];

	test.each(bodies)('%s: a write may have succeeded, and says so', async (_where, body) => {
		for (const depth of [600, 20_000]) {
			service.respondWith('application/json', body(deep(depth)));
			const { message, description } = await service.error({ ...TICKETS, ...CREATE });
			expect(message).toMatch(/^Create ticket: the response from \S+ could not be read/);
			expect(description).toMatch(/^Not retried because it may have succeeded/);
		}
		expect(service.sent('POST /tickets')).toHaveLength(2);
	});

	test.each(bodies)('%s: a read says so', async (_where, body) => {
		service.respondWith('application/json', body(deep(20_000)), { times: 9 });
		const { message } = await service.error(TICKETS);
		expect(message).toMatch(/^Get many tickets: the response from \S+ could not be read/);
	});

	test('is accepted up to a thousand levels', async () => {
		service.respondWith('application/json', bodies[2]![1](deep(490)));
		expect(await service.ok(TICKETS)).toHaveLength(2);
	});
});

test.each([
	['two dots', '..'],
	['100 KB', 'x'.repeat(100_000)],
])(
	'a broadcast whose ID makes no path was created, and the item says so: %s',
	async (_what, id) => {
		service.respond({ data: { id, status: 'QUEUED' } }, on('POST'));
		const options = { waitForCompletionMinutes: 1 };
		const list = { ...WELCOME_BROADCAST, audience: 'list', recipients: '12025550143' };
		const { json, error, hints } = await service.run({ ...list, options });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ id, waitResult: { ended: false } }]);
		expectHarmless(hints);
		expect(hints.join()).toMatch(/^The broadcast .* was created, but could not be read/);
	},
);

describe('invalid content of a response that has begun', () => {
	const gzip: Fault = {
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
		body: 'not gzip',
	};

	test.each([
		['read', { operation: 'getAll' }, /^Retried without success\. Check the base URL/],
		['write', { operation: 'create', title: 'T' }, /^Not retried because it may have succeeded/],
	])('of a %s is not reported as no response', async (_what, parameters, step) => {
		service.sandbox.faults.add(gzip, { times: 9 });
		const { message, description } = await service.error({ resource: 'ticket', ...parameters });
		expect(message).toMatch(
			/: the response from \S+ could not be read \(incorrect header check\)$/,
		);
		expect(description).toMatch(step);
	});
});

test.each([
	['a reserved word in capitals', 'Export', /^Get contact: the ID is empty, reserved or too long$/],
	[
		`${MB * 10} MB`,
		'c'.repeat(MB * 10_000_000),
		/^Contact expects an ID of at most 500 characters, but got .{1,400}$/,
	],
])('an ID that is %s is not sent', async (_what, contactId, text) => {
	const get = { resource: 'contact', operation: 'get', contactId: byId(contactId) };
	expect((await service.rejected(get)).message).toMatch(text);
});

test(`a base URL of ${MB} MB is shown in part`, async () => {
	const { message } = await service.error(TICKETS, { baseUrl: 'x'.repeat(MB * 1_000_000) });
	expect(message).toMatch(/^The base URL "x+…" is not a web address\. Enter it in full/);
	expect(message.length).toBeLessThan(600);
});
