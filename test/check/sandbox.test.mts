import type { Verdict } from '../../check/assumption.mts';
import type { SandboxSettings } from '../../sandbox/options.mts';
import { withDefaults } from '../../sandbox/options.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { check, judged } from './harness.mts';

const SMALL = { contacts: 60, tickets: 60 };

/** Starting a sandbox takes a second, so tests share one and change its settings. */
let sandbox: Sandbox;
const original = withDefaults(SMALL);
beforeAll(async () => {
	sandbox = await startSandbox(SMALL);
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.requests.length = 0;
	set({});
});
afterEach(() => {
	expect(new Set(sandbox.requests.map(({ method }) => method))).toStrictEqual(new Set(['GET']));
	expect(sandbox.requests.length).toBeLessThanOrEqual(40);
});

function set({ shapes, pageCap = Infinity }: SandboxSettings): void {
	Object.assign(sandbox.options.shapes, original.shapes, shapes);
	Object.assign(sandbox.options, { pageCap });
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
		id: 'lists',
		settings: { shapes: { lists: 'wrapped' }, pageCap: 10 },
		verdict: 'holds',
		seen: 'GET /tickets: 10 rows of 60, under tickets',
	},
	{
		id: 'message-pages',
		settings: { shapes: { messageOrder: 'oldest' } },
		verdict: 'does not hold',
		affected: 'Chat → Get Messages',
		seen: 'oldest first, in 2 chats',
	},
	{
		id: 'jobs',
		settings: { shapes: { importStates: 'unknown' } },
		verdict: 'does not hold',
		affected: 'Wait for Completion of imports',
		seen: 'GET /contacts/imports: other word; not understood: other word',
	},
];

test.each(ROWS.map((row) => ({ ...row, service: JSON.stringify(row.settings) })))(
	'$id with $service: $verdict',
	async ({ id, settings, verdict, affected, seen }) => {
		set(settings);
		if (id === 'jobs') await importContacts();
		const found = await judged(sandbox.baseUrl, sandbox.tokens.all.value, id);
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

test('a token without some permissions: what it may not read cannot be told', async () => {
	const token = sandbox.tokens.withoutSettings.value;
	const place = await judged(sandbox.baseUrl, token, 'lists');
	expect(place.verdict).toBe('holds');
	expect(place.seen).toContain('GET /channels: no permission (403)');
});

test('everything of a fitting service works', async () => {
	await importContacts();
	const { code, output } = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(code).toBe(0);
	expect(output).toMatch(/\nYour service works with this package\.\n\n✓ /);
	expect(output).toContain('    tickets: id, ticketNumber, ');
});
