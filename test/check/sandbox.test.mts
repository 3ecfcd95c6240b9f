import { setTimeout as nextTurn } from 'node:timers/promises';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import type { ErrorShape, RateLimitHeaders, SandboxSettings } from '../../sandbox/options.mts';
import { withDefaults } from '../../sandbox/options.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { check, judged, passTime, restoreTime, waits } from './harness.mts';

const SMALL = { contacts: 60, tickets: 60 };

/** Starting a sandbox takes a second, so most tests share one and change its settings. */
let shared: Sandbox;
let sandbox: Sandbox;
const original = withDefaults(SMALL);
beforeAll(async () => {
	// Waits put its clock forward too.
	shared = await startSandbox({ ...SMALL, clock: { now: () => clock.now() } });
});
afterAll(async () => await shared.close());
beforeEach(() => {
	sandbox = shared;
	sandbox.requests.length = 0;
	set({});
	passTime();
});
afterEach(async () => {
	restoreTime();
	expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(sandbox.requests.length).toBeLessThanOrEqual(60);
	if (sandbox !== shared) await sandbox.close();
});

function set({ shapes, rateLimit, pageCap }: SandboxSettings): void {
	Object.assign(shared.options.shapes, original.shapes, shapes);
	Object.assign(shared.options.rateLimit, original.rateLimit, rateLimit);
	Object.assign(shared.options, { pageCap: pageCap ?? Infinity });
}

async function found(settings: SandboxSettings, ...ids: string[]) {
	set(settings);
	return await judged(sandbox.baseUrl, sandbox.tokens.all.value, ...ids);
}

test.each<[RateLimitHeaders, string, string]>([
	['ratelimit', 'holds', 'ratelimit-limit, ratelimit-remaining, ratelimit-reset\n300 requests'],
	['x-ratelimit', 'holds', 'x-ratelimit-reset\n300 requests per window'],
	['x-ratelimit-ms', 'holds', '300 requests per window'],
	['combined', 'holds', 'ratelimit\n300 requests per window'],
	['structured', 'holds', 'ratelimit-policy, ratelimit'],
	['named', 'holds', 'x-ratelimit-remaining-short'],
	['retry-after', 'cannot tell', 'none of'],
	['retry-after-date', 'cannot tell', 'none of'],
	['none', 'cannot tell', 'none of'],
])('rate-limit headers in the style %s: %s', async (headers, verdict, seen) => {
	const rateLimit = { requests: 300, headers, routes: 'all' } as const;
	const rate = await found({ rateLimit }, 'list-place', 'rate-limit');
	expect(rate).toMatchObject({ verdict, affected: [], seen: expect.stringContaining(seen) });
});

test('half of a small rate limit is left to others', async () => {
	// With a window of its own.
	const rateLimit = { requests: 30, routes: 'all' } as const;
	sandbox = await startSandbox({ ...SMALL, clock: { now: () => clock.now() }, rateLimit });
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	expect(waits.length).toBeGreaterThan(0);
	expect(waits[0]).toBeGreaterThan(30_000);
	expect(run.report?.requests).toBeGreaterThan(30);
	expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([]);
});

test.each<[ErrorShape, string, string]>([
	['string', 'holds', 'error (text)'],
	['object', 'holds', 'error.message (text)'],
	['message', 'holds', 'message (text)'],
	['messages', 'holds', 'message (list of text)'],
	['errors', 'holds', 'errors (list of object)'],
	['text', 'holds', 'plain text'],
	['html', 'holds', 'HTML'],
	['empty', 'does not hold', 'no body, no message is found'],
])('an error body in the shape %s: %s', async (errors, verdict, seen) => {
	expect(await found({ shapes: { errors } }, 'not-found')).toMatchObject({
		verdict,
		affected: [],
		seen: expect.stringContaining(seen),
	});
});

test.each([
	['usual', 'id', 'top', 'holds', 'PENDING', 'directly in data'],
	['lower', '_id', 'job', 'holds', 'queued', 'under job'],
	['upper', 'byType', 'byType', 'holds', 'QUEUED', 'under import'],
	['unknown', 'jobId', 'importJob', 'does not hold', 'not understood: other word', 'importJob'],
	['none', 'id', 'top', 'does not hold', 'no state', 'directly in data'],
] as const)(
	'import jobs with %s states, the ID %s, %s',
	async (importStates, jobId, jobUnder, verdict, ...seen) => {
		set({ shapes: { importStates, jobId, jobUnder } });
		for (const { id } of [...sandbox.world.imports.newestFirst()]) sandbox.world.imports.delete(id);
		await importContacts('name,waId,igId\r\nAda,12025550155,\r\n,,\r\nBo,,\r\n');
		const token = sandbox.tokens.all.value;
		const jobs = await judged(sandbox.baseUrl, token, 'jobs');
		expect(jobs.verdict).toBe(verdict);
		expect(jobs.affected.includes('Wait for Completion of imports')).toBe(verdict !== 'holds');
		for (const words of seen) expect(jobs.seen).toContain(words);
		const { seen: columns } = await judged(sandbox.baseUrl, token, 'csv-columns');
		expect(columns).toContain('/errors: 5 columns: row, name, waId, igId, error');
	},
);

async function importContacts(csv: string): Promise<void> {
	const body = new FormData();
	body.append('file', new Blob([csv], { type: 'text/csv' }), 'contacts.csv');
	const response = await fetch(`${sandbox.baseUrl}/contacts/import`, {
		method: 'POST',
		headers: { authorization: `Bearer ${sandbox.tokens.all.value}` },
		body,
	});
	expect(response.status).toBe(200);
	// Sent by the test, not by the check.
	sandbox.requests.length = 0;
}

test.each([
	['customFields', 'top', 'holds', 'directly in data', 'with ID'],
	['fields', 'contact', 'holds', 'under contact', 'with ID'],
	['byId', 'top', 'holds', 'directly in data', 'with ID'],
	['byLabel', 'top', 'holds', 'directly in data', 'with ID'],
	['labels', 'top', 'does not hold', 'directly in data', 'not all with ID'],
	['hidden', 'top', 'does not hold', 'directly in data', 'the contact itself does not'],
] as const)(
	'custom fields in the form %s: %s',
	async (customFields, contactUnder, verdict, ...seen) => {
		const shape = await found({ shapes: { customFields, contactUnder } }, 'contact-shape');
		expect(shape).toMatchObject({ verdict, affected: [] });
		for (const words of seen) expect(shape.seen).toContain(words);
		expect(shape.seen).not.toContain('city');
	},
);

test.each([
	[{ segmentMembers: 'members', segmentPaging: 'top' }, 'under members'],
	[{ segmentMembers: 'contacts', segmentPaging: 'meta' }, 'under contacts'],
	[{ segmentMembers: 'data', segmentPaging: 'pagination' }, 'under members.data'],
	[{ segmentMembers: 'segment', segmentPaging: 'top' }, 'under segment.members'],
	[{ memberRows: 'memberships' }, 'under members, as memberships with the contact in them'],
] as const)('members of a segment as %j', async (shapes, seen) => {
	expect(await found({ shapes }, 'segment-members')).toMatchObject({ verdict: 'holds', seen });
});

test.each([
	['newest', 'holds', 'newest first, in 2 chats'],
	['oldest', 'does not hold', 'oldest first, in 2 chats'],
] as const)('messages with the %s first: %s', async (messageOrder, verdict, seen) => {
	const pages = await found({ shapes: { messageOrder } }, 'message-pages');
	expect(pages).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
	expect(pages.affected.includes('Chat → Get Messages')).toBe(verdict !== 'holds');
});

test('rows under a name are found and reported with it', async () => {
	const place = await found({ shapes: { lists: 'wrapped' } }, 'list-place');
	expect(place.verdict).toBe('holds');
	expect(place.seen).toContain('GET /tickets: under tickets');
});

test('small pages are reported', async () => {
	const length = await found({ pageCap: 10 }, 'list-length');
	expect(length).toMatchObject({ verdict: 'does not hold', affected: [] });
	expect(length.seen).toContain('GET /tickets: at most 10 rows per page, documented 200');
});

test('a token without some permissions: what it may not read cannot be told', async () => {
	const token = sandbox.tokens.withoutSettings.value;
	const place = await judged(sandbox.baseUrl, token, 'list-place');
	expect(place.verdict).toBe('holds');
	expect(place.seen).toContain('GET /channels: no permission (403)');
});

test('a fitting service has no assumption that goes wrong', async () => {
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	expect(run.report?.assumptions.filter(({ affected }) => affected.length > 0)).toEqual([]);
	expect(run.markdown).toContain(
		'Your service works with this package. Unknown: 1 of 20 assumptions.',
	);
	expect(waits).toEqual([]);
});

test.each([
	[
		'what a message changes: row, position, keys',
		(service: Sandbox) => {
			const [chat] = [...service.world.chats.newestFirst()].slice(5);
			if (!chat) throw new Error('There are too few chats');
			service.world.addMessage(chat, {
				direction: 'INBOUND',
				type: 'text',
				content: { text: 'Hello' },
				agentId: null,
			});
			chat.needsEscalation = !chat.needsEscalation;
		},
		[
			'a row changed and stayed at position 6',
			'changed keys: escalation.active (boolean)',
			'its first message: from a customer, with a time',
		],
	],
	['that nothing changed', () => undefined, [expect.stringContaining('no row of the first')]],
] as const)('the second pass shows %s', async (_what, act, expected) => {
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value, {
		args: ['--watch-message'],
		ask: async () => {
			await nextTurn();
			act(sandbox);
			return '';
		},
	});
	expect(run.report?.message).toEqual(expected);
	expect(run.output).toContain(`After a new message\n    ${run.report?.message?.[0]}`);
});
