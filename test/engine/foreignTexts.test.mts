/** Texts of a service, and of users, that are shown: in hints, in errors, and in n8n's log. */
import { ExecuteContext } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { WELCOME_BROADCAST } from './harness.mts';
import { CONTINUE, SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness({ contacts: 3, tickets: 1 });
const token = 'wa_pk_sandbox_all_permissions';

/** What the nodes write to n8n's log, and what n8n itself writes there. */
const log = { nodes: [] as string[], n8n: [] as string[] };
beforeEach(() => {
	const loggerTo = (lines: string[]) => {
		const write = (entry: unknown, more?: unknown) =>
			void lines.push(typeof entry === 'string' && !more ? entry : JSON.stringify([entry, more]));
		return { debug: write, info: write, warn: write, error: write };
	};
	LoggerProxy.init(loggerTo((log.n8n = [])));
	const logger = loggerTo((log.nodes = [])) as unknown as ExecuteContext['logger'];
	jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger);
});

/** Everything that somebody sees, or that a program reads from the log. n8n writes the parameters of a node as entered. */
function expectHarmless(texts: (string | null | undefined)[]) {
	for (const text of [...texts, ...log.nodes]) {
		expect(text ?? '').not.toMatch(/wa_pk_\w/i);
		expect(text ?? '').not.toMatch(/[\p{Cc}\u202e\u2028]|<a/u);
		expect((text ?? '').length).toBeLessThan(1_000);
	}
}

const HOSTILE: [what: string, text: string][] = [
	['the token', `ended ${token}`],
	['the token in capitals', `ended ${token.toUpperCase()}`],
	['line breaks', 'ended\r\n2026-11-23 | info | forged'],
	['colors of a terminal', '\u001b[31mended\u001b[0m'],
	['a link', '<a href="https://evil.example.com">ended</a>'],
	['reversed text', 'ended\u202egnidne\u2028'],
	['5 MB', 'ended '.repeat(900_000)],
];
const isRead = ({ method }: FaultyRequest) => method === 'GET';

describe.each(HOSTILE)('%s', (_what, text) => {
	test('as a status that a wait reads is harmless in hints, errors and the log', async () => {
		const wait = { ...WELCOME_BROADCAST, audience: 'list', recipients: '12025550143' };
		for (const requireSuccess of [false, true]) {
			service.respond(
				{ success: true, data: { id: 'x', status: text } },
				{ times: 999, matches: isRead },
			);
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
			service.reject(422, undefined, body);
			const { message, description } = await service.error({
				resource: 'ticket',
				operation: 'getAll',
			});
			expectHarmless([message, description]);
			service.reject(422, undefined, body);
			const { json } = await service.run({ resource: 'ticket', operation: 'getAll' }, CONTINUE);
			expectHarmless([json[0]!.error as string]);
		}
	});

	test('as a page instead of a response, its encoding, or the address of a redirect is harmless', async () => {
		service.respondWith('text/plain', text, {}, 400);
		const rejected = await service.error({ resource: 'ticket', operation: 'getAll' });
		const header = encodeURIComponent(text).slice(0, 8_000);
		service.respondWith(`text/csv; charset=${header}`, 'a,b\n1,2\n');
		const read = await service.run({ resource: 'contact', operation: 'export', output: 'items' });
		const headers = { location: `https://${header}.example.com/` };
		service.sandbox.faults.add({ kind: 'status', status: 302, headers, body: '' });
		const redirected = await service.error({ resource: 'ticket', operation: 'getAll' });
		for (const error of [rejected, read.error, redirected])
			expectHarmless([error?.message, error?.description]);
	});

	test('as a value that the user entered is harmless', async () => {
		const number = { resource: 'contact', operation: 'create', name: 'A', waId: text };
		const { message, description } = await service.error(number);
		expectHarmless([message, description]);
		const selected = {
			resource: 'ticket',
			operation: 'getAll',
			options: { outputFieldNames: text },
		};
		const { hints } = await service.run(selected);
		expect(hints).toHaveLength(1);
		expectHarmless(hints);
	});
});
