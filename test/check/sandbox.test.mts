import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import type { SandboxSettings, RateLimitHeaders, ErrorShape } from '../../sandbox/options.mts';
import { withDefaults } from '../../sandbox/options.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { check, waits } from './harness.mts';
import { setTimeout as nextTurn } from 'node:timers/promises';

const SMALL = { contacts: 60, tickets: 60 };

/** Starting a sandbox takes a second, so most tests share one and change its settings. */
let shared: Sandbox;
let sandbox: Sandbox;
const original = { ...withDefaults(SMALL) };
beforeAll(async () => {
	// Waits put its clock forward too.
	shared = await startSandbox({ ...SMALL, clock: { now: () => clock.now() } });
});
afterAll(async () => await shared.close());
beforeEach(() => {
	sandbox = shared;
	sandbox.requests.length = 0;
	set({});
});
afterEach(async () => {
	// Only GETs are ever sent, whatever the sandbox is like.
	expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(sandbox.requests.length).toBeLessThanOrEqual(60);
	if (sandbox !== shared) await sandbox.close();
});

function set({ shapes, rateLimit, pageCap }: SandboxSettings): void {
	Object.assign(shared.options.shapes, original.shapes, shapes);
	Object.assign(shared.options.rateLimit, original.rateLimit, rateLimit);
	Object.assign(shared.options, { pageCap: pageCap ?? Infinity });
}

async function checked(settings: SandboxSettings) {
	set(settings);
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	return run;
}

test.each<[RateLimitHeaders, string, string]>([
	['ratelimit', 'holds', 'ratelimit-limit, ratelimit-remaining, ratelimit-reset (seconds)'],
	['x-ratelimit', 'holds', 'x-ratelimit-reset (epoch seconds)'],
	['x-ratelimit-ms', 'holds', 'x-ratelimit-reset (epoch milliseconds)'],
	['combined', 'holds', 'ratelimit'],
	['structured', 'holds', 'ratelimit-policy, ratelimit'],
	['named', 'holds', 'x-ratelimit-remaining-short'],
	['retry-after', 'cannot tell', 'none of'],
	['retry-after-date', 'cannot tell', 'none of'],
	['none', 'cannot tell', 'none of'],
])('rate-limit headers in the style %s: %s', async (headers, verdict, seen) => {
	const run = await checked({ rateLimit: { requests: 300, headers, routes: 'all' } });
	expect(run.found('rate-limit-headers').verdict).toBe(verdict);
	expect(run.found('rate-limit-headers').seen.join('\n')).toContain(seen);
	expect(run.found('rate-limit-counts').verdict).toBe(verdict);
	if (verdict === 'holds')
		expect(run.found('rate-limit-headers').seen).toContain('300 requests per window');
});

test('with the limit on the documented routes only, reading shows no headers', async () => {
	const run = await checked({});
	expect(run.found('rate-limit-headers').verdict).toBe('cannot tell');
	expect(waits).toEqual([]);
});

test('half of a small rate limit is left to others', async () => {
	// With a window of its own.
	const rateLimit = { requests: 40, routes: 'all' } as const;
	sandbox = await startSandbox({ ...SMALL, clock: { now: () => clock.now() }, rateLimit });
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	expect(waits.length).toBeGreaterThan(0);
	expect(waits[0]).toBeGreaterThan(30_000);
	expect(run.report?.requests).toBeGreaterThan(40);
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
	const run = await checked({ shapes: { errors } });
	expect(run.found('not-found-shape')).toMatchObject({ verdict, affected: [] });
	expect(run.found('not-found-shape').seen.join('\n')).toContain(seen);
});

test('rows under a name are found and reported with it', async () => {
	const run = await checked({ shapes: { lists: 'wrapped' } });
	expect(run.found('list-place').verdict).toBe('holds');
	expect(run.found('list-place').seen).toContain('GET /tickets: under tickets');
});

const csv = 'name,waId,igId\r\nAda,12025550155,\r\n,,\r\nBo,,\r\n';
async function importJob(service: Sandbox): Promise<void> {
	const body = new FormData();
	body.append('file', new Blob([csv], { type: 'text/csv' }), 'contacts.csv');
	const headers = { authorization: `Bearer ${service.tokens.all.value}` };
	const response = await fetch(`${service.baseUrl}/contacts/import`, {
		method: 'POST',
		headers,
		body,
	});
	expect(response.status).toBe(200);
	// Sent by the test, not by the check.
	service.requests.length = 0;
}

test.each([
	['lower', 'id', 'top', 'holds', 'QUEUED (lower case)', 'directly in data'],
	['upper', '_id', 'job', 'holds', 'QUEUED (upper case)', 'under job'],
	['usual', 'byType', 'byType', 'holds', 'PENDING (upper case)', 'under import'],
	['unknown', 'jobId', 'importJob', 'does not hold', 'not understood: 1 of 1', 'under importJob'],
	['none', 'id', 'top', 'does not hold', 'jobs show no state', 'directly in data'],
] as const)(
	'import jobs with %s states, the ID %s, %s',
	async (importStates, jobId, jobUnder, verdict, states, place) => {
		set({ shapes: { importStates, jobId, jobUnder } });
		for (const { id } of [...sandbox.world.imports.newestFirst()]) sandbox.world.imports.delete(id);
		await importJob(sandbox);
		const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
		expect(run.found('import-states').verdict).toBe(verdict);
		expect(run.found('import-states').seen.join('\n')).toContain(states);
		expect(run.found('import-shape')).toMatchObject({ verdict: 'holds' });
		expect(run.found('import-shape').seen.join('\n')).toContain(place);
		expect(run.found('import-error-columns').seen[0]).toBe(
			'5 columns: row, name, waId, igId, error',
		);
	},
);

test.each([
	['customFields', 'top', 'holds', 'custom fields in customFields: a list of records'],
	['fields', 'contact', 'holds', 'custom fields in fields: a list of records'],
	['byId', 'top', 'holds', 'a map of records'],
	['byLabel', 'top', 'holds', 'a map of records'],
	['labels', 'top', 'does not hold', 'a map of values'],
	['hidden', 'top', 'does not hold', 'not returned'],
] as const)(
	'custom fields in the form %s: %s',
	async (customFields, contactUnder, verdict, seen) => {
		const run = await checked({ shapes: { customFields, contactUnder } });
		expect(run.found('contact-shape').verdict).toBe(verdict);
		expect(run.found('contact-shape').seen.join('\n')).toContain(seen);
		expect(run.everything).not.toContain('city');
	},
);

test.each([
	['members', 'top', 'under members'],
	['contacts', 'meta', 'under contacts'],
	['data', 'pagination', 'under members.data'],
	['segment', 'top', 'under segment.members'],
] as const)(
	'members of a segment as %s, counts as %s',
	async (segmentMembers, segmentPaging, seen) => {
		const run = await checked({ shapes: { segmentMembers, segmentPaging } });
		expect(run.found('segment-members').verdict).toBe('holds');
		expect(run.found('segment-members').seen.join('\n')).toContain(seen);
	},
);

test('members of a segment as memberships', async () => {
	const run = await checked({ shapes: { memberRows: 'memberships' } });
	expect(run.found('segment-members')).toMatchObject({ verdict: 'holds' });
	expect(run.found('segment-members').seen.join('\n')).toContain(
		'under members, as memberships with the contact in them',
	);
});

test('small pages are reported', async () => {
	const run = await checked({ pageCap: 10 });
	expect(run.found('page-sizes')).toMatchObject({ verdict: 'does not hold', affected: [] });
	expect(run.found('page-sizes').seen).toContain('GET /tickets: at most 10 rows, documented 200');
});

test('a token without some permissions: what it may not read cannot be told', async () => {
	const run = await check(sandbox.baseUrl, sandbox.tokens.withoutSettings.value);
	expect(run.code).toBe(0);
	expect(run.found('list-place').seen).toContain('GET /channels: no permission (403)');
	expect(run.found('missing-permission').verdict).toBe('holds');
	expect(run.found('ticket-status').verdict).toBe('holds');
});

test('a fitting service has no assumption that goes wrong', async () => {
	const run = await checked({});
	expect(run.report?.assumptions.filter(({ affected }) => affected.length > 0)).toEqual([]);
	expect(run.markdown).toContain('Your service works with this package.');
});

describe('the second pass', () => {
	async function watched(act: (service: Sandbox) => void) {
		const service = sandbox;
		const run = await check(service.baseUrl, service.tokens.all.value, {
			args: ['--watch-message'],
			ask: async () => {
				await nextTurn();
				act(service);
				return '';
			},
		});
		return run.report?.message?.join('\n');
	}

	test('shows what a message changes: row, position, keys, counters', async () => {
		const seen = await watched(({ world }) => {
			const [chat] = [...world.chats.newestFirst()].slice(5);
			if (!chat) throw new Error('There are too few chats');
			world.addMessage(chat, {
				direction: 'INBOUND',
				type: 'text',
				content: { text: 'Hello' },
				agentId: null,
			});
			chat.needsEscalation = !chat.needsEscalation;
		});
		expect(seen).toContain('a row changed and stayed at position 6');
		expect(seen).toContain('changed keys: escalation.active (boolean)');
		expect(seen).toContain('its first message: from a customer, with a time');
		expect(seen).not.toContain('Hello');
	});

	test('says that nothing changed', async () => {
		expect(await watched(() => undefined)).toContain('no row of the first');
	});
});

test.each([
	['newest', 'holds', 'newest first, in 2 chats', []],
	['oldest', 'does not hold', 'oldest first, in 2 chats', ['Chat → Get Messages']],
] as const)('messages with the %s first: %s', async (messageOrder, verdict, seen, affected) => {
	const run = await checked({ shapes: { messageOrder } });
	expect(run.found('message-order').verdict).toBe(verdict);
	expect(run.found('message-order').seen).toEqual([seen]);
	expect(run.found('message-order').affected).toEqual(expect.arrayContaining([...affected]));
});
