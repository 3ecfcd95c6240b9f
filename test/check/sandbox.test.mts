import type { Finding } from '../../tools/check/questions.mts';
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
	answer: Finding['answer'];
	affected?: string;
	seen: string;
}

// How the package's readers understand each shape is tested with them; these rows show that the check asks them.
const ROWS: Row[] = [
	{
		id: 'lists',
		settings: { shapes: { lists: 'wrapped' }, pageCap: 10 },
		answer: 'yes',
		seen: 'GET /tickets: rows: 10; keys: id, ticketNumber, ',
	},
	{
		id: 'message-pages',
		settings: { shapes: { messageOrder: 'oldest' } },
		answer: 'no',
		affected: 'Chat → Get Messages',
		seen: 'messages are not newest first',
	},
	{
		id: 'jobs',
		settings: { shapes: { importStates: 'unknown' } },
		answer: 'no',
		affected: 'Contact Import → Start with Wait for Completion',
		seen: 'GET /contacts/imports: another word; 1 not understood',
	},
];

test.each(ROWS.map((row) => ({ ...row, service: JSON.stringify(row.settings) })))(
	'$id with $service: $answer',
	async ({ id, settings, answer, affected, seen }) => {
		set(settings);
		if (id === 'jobs') await importContacts();
		const found = await judged(sandbox.baseUrl, sandbox.tokens.all.value, id);
		expect(found).toMatchObject({ answer, seen: expect.stringContaining(seen) });
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
	expect(place.answer).toBe('yes');
	expect(place.seen).toContain('GET /channels: no permission (403)');
});

test('everything of a fitting service works', async () => {
	await importContacts();
	const { code, output } = await check(sandbox.baseUrl, sandbox.tokens.all.value);
	expect(code).toBe(0);
	expect(output).toMatch(
		/\nYour service works with this package\. Unknown: 0 of 8 questions\.\n\n✓ /,
	);
});
