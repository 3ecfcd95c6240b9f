import { setTimeout as nextTurn } from 'node:timers/promises';
import type { Verdict } from '../../check/assumption.mts';
import { clock } from '../../nodes/ConversationalMessaging/api/clock.ts';
import type { SandboxSettings } from '../../sandbox/options.mts';
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
	expect(new Set(sandbox.requests.map(({ method }) => method))).toStrictEqual(new Set(['GET']));
	expect(sandbox.requests.length).toBeLessThanOrEqual(60);
	if (sandbox !== shared) await sandbox.close();
});

function set({ shapes, rateLimit, pageCap }: SandboxSettings): void {
	Object.assign(shared.options.shapes, original.shapes, shapes);
	Object.assign(shared.options.rateLimit, original.rateLimit, rateLimit);
	Object.assign(shared.options, { pageCap: pageCap ?? Infinity });
}

interface Row {
	id: string;
	settings: SandboxSettings;
	verdict: Verdict;
	affected?: string;
	seen: string;
}

// How the package's readers understand each shape is tested with them; these rows show that the check asks them.
const ROWS: Row[] = [
	{
		id: 'list-place',
		settings: { shapes: { lists: 'wrapped' } },
		verdict: 'holds',
		seen: 'GET /tickets: under tickets',
	},
	{
		id: 'list-length',
		settings: { pageCap: 10 },
		verdict: 'does not hold',
		seen: 'GET /tickets: at most 10 rows per page, documented 200',
	},
	{
		id: 'not-found',
		settings: { shapes: { errors: 'empty' } },
		verdict: 'does not hold',
		seen: 'GET /tickets/{id}: 404, no body, no message is found',
	},
	{
		id: 'message-pages',
		settings: { shapes: { messageOrder: 'oldest' } },
		verdict: 'does not hold',
		affected: 'Chat → Get Messages',
		seen: 'oldest first, in 2 chats',
	},
	{
		id: 'contact-shape',
		settings: { shapes: { customFields: 'byId', contactUnder: 'contact' } },
		verdict: 'holds',
		seen: 'under contact\n1 custom field with ID',
	},
	{
		id: 'contact-shape',
		settings: { shapes: { customFields: 'hidden' } },
		verdict: 'does not hold',
		seen: 'the list shows custom fields, the contact itself does not',
	},
	{
		id: 'segment-members',
		settings: { shapes: { segmentMembers: 'segment', memberRows: 'memberships' } },
		verdict: 'holds',
		seen: 'under segment.members, as memberships with the contact in them',
	},
	{
		id: 'jobs',
		settings: { shapes: { importStates: 'usual', jobId: 'byType', jobUnder: 'byType' } },
		verdict: 'holds',
		seen: 'GET /contacts/imports/{id}: under import\nGET /contacts/imports: PENDING',
	},
	{
		id: 'jobs',
		settings: { shapes: { importStates: 'unknown' } },
		verdict: 'does not hold',
		affected: 'Wait for Completion of imports',
		seen: 'GET /contacts/imports: other word; not understood: other word',
	},
	{
		id: 'csv-columns',
		settings: {},
		verdict: 'holds',
		seen: '/errors: 5 columns: row, name, waId, igId, error',
	},
	{
		id: 'rate-limit',
		settings: { rateLimit: { requests: 300, headers: 'x-ratelimit', routes: 'all' } },
		verdict: 'holds',
		seen: 'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset\n300 requests per window\nthe number fell',
	},
];

test.each(ROWS.map((row) => ({ ...row, service: JSON.stringify(row.settings) })))(
	'$id with $service: $verdict',
	async ({ id, settings, verdict, affected, seen }) => {
		set(settings);
		if (['jobs', 'csv-columns'].includes(id)) await importContacts();
		// The rate limit is judged from the responses to others.
		const before = id === 'rate-limit' ? ['list-place'] : [];
		const found = await judged(sandbox.baseUrl, sandbox.tokens.all.value, ...before, id);
		expect(found).toMatchObject({ verdict, seen: expect.stringContaining(seen) });
		expect(found.affected).toStrictEqual(affected ? expect.arrayContaining([affected]) : []);
		expect(found.seen).not.toContain('city');
	},
);

/** The only import job, with two rejected rows. */
async function importContacts(): Promise<void> {
	for (const { id } of [...sandbox.world.imports.newestFirst()]) sandbox.world.imports.delete(id);
	const csv = 'name,waId,igId\r\nAda,12025550155,\r\n,,\r\nBo,,\r\n';
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

test('half of a small rate limit is left to others', async () => {
	// With a window of its own.
	const rateLimit = { requests: 30, routes: 'all' } as const;
	sandbox = await startSandbox({ ...SMALL, clock: { now: () => clock.now() }, rateLimit });
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	expect(waits.length).toBeGreaterThan(0);
	expect(waits[0]).toBeGreaterThan(30_000);
	expect(run.report?.requests).toBeGreaterThan(30);
	expect(sandbox.requests.filter(({ status }) => status === 429)).toStrictEqual([]);
});

test('a token without some permissions: what it may not read cannot be told', async () => {
	const token = sandbox.tokens.withoutSettings.value;
	const place = await judged(sandbox.baseUrl, token, 'list-place');
	expect(place.verdict).toBe('holds');
	expect(place.seen).toContain('GET /channels: no permission (403)');
});

test('everything of a fitting service works but what the sandbox does not show', async () => {
	await importContacts();
	const run = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(run.code).toBe(0);
	const others = run.report?.assumptions.filter(({ verdict }) => verdict !== 'holds') ?? [];
	expect(others.map(({ id, verdict, affected }) => [id, verdict, affected])).toStrictEqual([
		['chat-activity', 'does not hold', []],
		['rate-limit', 'cannot tell', []],
	]);
	expect(run.markdown).toContain(
		'Your service works with this package. Unknown: 1 of 20 assumptions.',
	);
	expect(waits).toStrictEqual([]);
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
	expect(run.report?.message).toStrictEqual(expected);
	expect(run.output).toContain(`After a new message\n    ${run.report?.message?.[0]}`);
});
