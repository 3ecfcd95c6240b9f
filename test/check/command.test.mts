import { check, command } from './harness.mts';
import {
	closedAfterEach,
	LIST_ROUTES,
	routed,
	TOKEN,
	type Route,
} from '../support/plainService.mts';
import { replaceNameServer } from '../support/nameServer.mts';

const startService = closedAfterEach();

const empty: Route = () => ({ body: { success: true, data: [], meta: { total: 0, limit: 20 } } });
const start = async (routes: Record<string, Route>) => await startService(routed(routes));

test('an unknown token ends the check after one request', async () => {
	const { baseUrl, requests } = await start({});
	const run = await check(baseUrl, 'wa_pk_other');
	expect(run.code).toBe(1);
	expect(run.output).toContain('The service does not recognize the token (401).\nCreate a token');
	expect(requests).toHaveLength(1);
});

test('an address without the service ends the check with this reason', async () => {
	const { baseUrl, requests } = await start({});
	const run = await check(baseUrl);
	expect(run.code).toBe(1);
	expect(run.output).toContain('The service is not at this address (404).\nCheck the base URL.');
	expect(requests).toHaveLength(1);
});

test.each([401, 429])('a %i stops the check, and what was read is reported', async (status) => {
	const { baseUrl, requests } = await start({
		organization: empty,
		...Object.fromEntries(LIST_ROUTES.map((name) => [name, empty])),
		tickets: (query) =>
			query.has('status')
				? { status, body: {} }
				: { body: { success: true, data: [{ id: 't', status: 'OPEN' }] } },
	});
	const run = await check(baseUrl);
	expect(run.code).toBe(1);
	expect(run.output).toMatch(new RegExp(`Not complete: .*${status}`));
	// Nothing is sent after it.
	expect(requests.at(-1)?.url).toContain('status=OPEN');
	expect(run.output).toMatch(/^✓ .* \(lists\)$/m);
	expect(run.output).toMatch(/\(ticket-status\)\n(?: {4}.*\n)* {4}the check ended before\n/);
});

test.each([
	[403, 'no permission (403)'],
	[500, '500'],
])('with a %i from every list, nothing is known', async (status, reason) => {
	const failing: Route = () => ({ status, body: {} });
	const { baseUrl } = await start({
		organization: empty,
		...Object.fromEntries(LIST_ROUTES.map((name) => [name, failing])),
	});
	const { code, output } = await check(baseUrl);
	expect(code).toBe(0);
	expect(output).toMatch(/^Most could not be checked\. Unknown: 8 of 8 questions\.$/m);
	expect(output).toContain(`    GET /tickets: ${reason}`);
});

test('the check stops when it is told to', async () => {
	const stop = new AbortController();
	const { baseUrl, requests } = await start({
		organization: empty,
		tickets: empty,
		chats: () => {
			stop.abort();
			return empty(new URLSearchParams(), []);
		},
		contacts: empty,
	});
	const run = await check(baseUrl, TOKEN, { signal: stop.signal });
	expect(run.code).toBe(1);
	expect(run.output).toContain('Not complete: The check was stopped. Run it again to complete it.');
	expect(requests.map(({ url }) => url)).toStrictEqual(
		expect.not.arrayContaining([expect.stringContaining('contacts')]),
	);
});

test.each([
	[[], 'Enter the base URL'],
	[['--base-url', 'example'], 'not a web address'],
	[['--base-url', 'https://service.example.com'], 'must end in /api/v2'],
	[['--base-url', 'http://service.example.com/api/v2'], 'would send the token unencrypted'],
	[['--base-url', 'https://service.example.com/api/v1'], 'no longer serves'],
	[['--bogus'], "Unknown option '--bogus'"],
	[['--token', 'wa_pk_1'], 'The token is not an argument'],
	[['--base-url=http://127.0.0.1:9/api/v2', 'wa_pk_1'], 'The token is not an argument'],
	[['CONVERSATIONAL_MESSAGING_TOKEN=wa_pk_1'], 'The token is not an argument'],
	[['Bearer wa_pk_1'], 'The token is not an argument'],
	[['--base-url', 'wa_pk_1'], 'The token is not an argument'],
	[['secret'], 'An argument belongs to no option.'],
	[['--bogus=secret'], "Unknown option '--bogus'"],
	[['--base-url', 'http://127.0.0.1:9/api/v2'], 'There is no token.'],
])('%j: %s', async (args, words) => {
	const { code, output } = await command(args);
	expect(code).toBe(1);
	expect(output).toContain(words);
	expect(output).not.toMatch(/wa_pk_1|secret/);
});

test.each([
	['http://127.0.0.1:9/api/v2', 'refused or interrupted'],
	['https://nowhere.invalid/api/v2', 'the host was not found'],
])('%s: %s', async (url, words) => {
	const lookup = replaceNameServer();
	const run = await check(url);
	expect(lookup.mock.calls.map(([host]) => host)).toStrictEqual(
		url.includes('127.0.0.1') ? [] : ['nowhere.invalid'],
	);
	lookup.mockRestore();
	expect(run.code).toBe(1);
	expect(run.output).toContain(words);
});

test('the token is asked for if the environment has none', async () => {
	const { baseUrl, requests } = await start({ organization: empty, tickets: empty, chats: empty });
	const questions: string[] = [];
	const askHidden = async (question: string) => {
		questions.push(question);
		return TOKEN;
	};
	const run = await command(['--base-url', baseUrl], { askHidden });
	expect(run.code).toBe(0);
	expect(questions).toStrictEqual(['API token: ']);
	expect(requests[0]?.token).toBe(`Bearer ${TOKEN}`);
	expect(run.output).not.toContain(TOKEN);
});

test('--help shows the option', async () => {
	const { code, output } = await command(['--help']);
	expect(code).toBe(0);
	expect(output).toContain('--base-url');
});
