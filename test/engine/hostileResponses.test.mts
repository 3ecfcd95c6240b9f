/** Responses that are long and made to be slow to read, or whose names every object has already. */
import { WELCOME_BROADCAST } from './harness.mts';
import { on, SharedHarness } from './sharedHarness.mts';
import { triggersOf } from './triggerHarness.mts';
import { sha256 } from '../support/sha256.mts';
import { computedMs } from '../support/computedMs.mts';

const service = new SharedHarness({ contacts: 3, tickets: 1 });

const MB = 1_048_576;

/** What is read in proportion to its length takes milliseconds; the others took minutes. */
const MOST_MS = 20_000;

let started: number;
beforeEach(() => (started = computedMs()));
afterEach(() => expect(computedMs() - started).toBeLessThan(MOST_MS));

test('a page is cut after its first 16 KB, but not within a token', async () => {
	const { value } = service.sandbox.tokens.all;
	for (let before = 16_384 - value.length; before <= 16_384; before += 7) {
		const page = `<html><body>${'<i></i>'.repeat((before - 12) / 7)}No: ${value} ${value}</body></html>`;
		service.respondWith('text/html', page, {}, 400);
		const { message } = await service.error({ resource: 'ticket', operation: 'getAll' });
		for (let at = 0; at + 12 <= value.length; at++)
			expect(message).not.toContain(value.slice(at, at + 12));
	}
});

describe('an import template', () => {
	const start = { resource: 'contactImport', operation: 'start', source: 'items' };
	const item = { items: [{ waId: '12025550143' }] };
	const respond = (csv: string) =>
		service.respondWith('text/csv', csv, { matches: ({ path }) => path.endsWith('template') });

	test.each<[what: string, name: string]>([
		['of 90,000 brackets', '('.repeat(90_000)],
		['of 90,000 characters in quotes', `"${'x'.repeat(90_000)}"`],
		['of 90,000 quotes', '"'.repeat(90_000)],
	])('with a column %s is reported as one without the column', async (_what, name) => {
		respond(`${name},b\n`);
		const { message, description } = await service.error(start, item);
		expect(message).toBe('The service’s import template has no column for WhatsApp ID');
		expect(description!.length).toBeLessThan(1_000);
	});

	test('with a quote of 8 MB that never ends stops the import, which says what could not be read', async () => {
		respond(`"${'x'.repeat(8 * MB)}`);
		expect((await service.error(start, item)).message).toBe(
			'Download contact import template: the CSV could not be read (row 1 is too long, or a quote in it is never closed)',
		);
		expect(service.sent('POST /contacts/import')).toStrictEqual([]);
	});
});

test('a list of 60,000 records that has no pages is shown in the editor, each once', async () => {
	const rows = Array.from({ length: 60_000 }, (_, index) => ({ id: `s${index}`, name: 'VIP' }));
	service.respond({ data: [...rows, rows[0]] });
	const { results } = await service.search('searchSegments');
	expect([results.length, results.at(-1)!.value]).toStrictEqual([60_000, 's59999']);
});

test('the newest of 40,000 messages of a chat that has no pages is emitted', async () => {
	const trigger = await triggersOf(service).publish({ events: ['messageReceived'] });
	const old = Array.from({ length: 40_000 }, (_, n) => ({ id: `m${n}`, from: '1', time: 1e9 }));
	const now = Math.floor(service.time.clock.now() / 1_000) + 60;
	const data = [{ id: 'new', direction: 'inbound', time: now }, ...old];
	const [chat] = service.world.chats.filter(() => true);
	const matches = ({ path }: { path: string }) => path.endsWith(`${chat!.id}/messages`);
	service.respond({ data }, { times: 9, matches });
	chat!.needsEscalation = !chat!.needsEscalation;
	const { events, error } = await trigger.poll();
	expect(error).toBeUndefined();
	expect(events!.map(({ recordId }) => recordId)).toStrictEqual(['new']);
});

test('a WhatsApp ID of 12 million digits is another one than any in Sync', async () => {
	const contacts = {
		data: [{ id: 'c1', name: 'B', waId: '1'.repeat(12_000_000) }],
		meta: { total: 1, limit: 200, totalPages: 1 },
	};
	service.respond(contacts, on('GET /contacts'));
	const sync = { resource: 'contact', operation: 'sync', matchBy: 'waId', dryRun: true };
	const [item] = await service.ok({ ...sync, name: 'A', waId: '4915112345678' });
	expect(item).toMatchObject({ result: 'wouldCreate' });
});

describe('columns with names that every object has', () => {
	const NAMES = ['constructor', 'toString', '__proto__'];

	test('are empty in an import whose items have no value for them', async () => {
		service.shapes.importColumns = ['waId', ...NAMES];
		const start = { resource: 'contactImport', operation: 'start', source: 'items' };
		const columns = { column: [{ name: '__proto__', value: 'x' }] };
		await service.ok({ ...start, columns }, { items: [{ waId: '12025550143' }] });
		const csv = `waId,${NAMES.join()}\r\n12025550143,,,x`;
		expect(service.sent('POST /contacts/import')[0]!.file!.sha256).toBe(sha256(csv));
	});

	test('are missing in a broadcast whose items do not have them', async () => {
		const matches = ({ path }: { path: string }) => path.endsWith('/csv-template');
		service.respondWith('text/csv', `phone,${NAMES.join()}\n`, { matches });
		const create = { ...WELCOME_BROADCAST, audience: 'csvItems', templateVariables: {} };
		const { message } = await service.error(create, { items: [{ phone: '12025550143' }] });
		expect(message).toBe(`Your items have phone, the template needs ${NAMES.join(', ')}`);
	});
});
