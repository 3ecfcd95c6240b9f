import dns from 'node:dns';
import { tmpdir } from 'node:os';
import { checkService } from '../../check/command.mts';
import { check } from './harness.mts';
import { closedAfterEach, LIST_ROUTES, routed, TOKEN, type Route } from './plainService.mts';

const startService = closedAfterEach();

const empty: Route = () => ({ body: { success: true, data: [], meta: { total: 0, limit: 20 } } });
const start = async (routes: Record<string, Route>) => await startService(routed(routes));

async function command(args: string[], env: Record<string, string> = {}, answers: string[] = []) {
	const texts: string[] = [];
	const questions: string[] = [];
	const answer = async (question: string) => {
		questions.push(question);
		return answers.shift() ?? '';
	};
	const code = await checkService(args, {
		env,
		interactive: answers.length > 0,
		colours: false,
		askHidden: answer,
		print: (text) => texts.push(text),
		note: (text) => texts.push(text),
	});
	return { code, output: texts.join('\n'), questions };
}

test('an unknown token ends the check after one request', async () => {
	const { baseUrl, requests } = await start({});
	const run = await check(baseUrl, 'wa_pk_other');
	expect(run.code).toBe(1);
	expect(run.markdown).toBeUndefined();
	expect(run.output).toContain('The service does not recognize the token (401).\nCreate a token');
	expect(requests).toHaveLength(1);
});

test('a token that is inactive, or without any permission, ends the check with this reason', async () => {
	const forbidden: Route = () => ({ status: 403, body: { error: 'API token is inactive' } });
	const { baseUrl } = await start(
		Object.fromEntries(['organization', ...LIST_ROUTES].map((name) => [name, forbidden])),
	);
	const run = await check(baseUrl, TOKEN);
	expect(run.code).toBe(1);
	expect(run.output).toContain('inactive or expired, or has no permission for reading');
});

test('an address without the service ends the check with this reason', async () => {
	const { baseUrl } = await start({});
	const run = await check(baseUrl, TOKEN);
	expect(run.code).toBe(1);
	expect(run.output).toContain('None of the service’s routes is at this address (404).');
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
	const run = await check(baseUrl, TOKEN);
	expect(run.code).toBe(1);
	expect(run.markdown).toMatch(new RegExp(`Not complete: .*${status}`));
	// Nothing is sent after it.
	expect(requests.at(-1)?.url).toContain('status=OPEN');
	expect(run.output).toMatch(/^✓ .* \(lists\)$/m);
	expect(run.output).toMatch(/\(ticket-status\)\n(?: {4}.*\n)* {4}the check ended before\n/);
});

test('a service whose lists all fail is not said to work', async () => {
	const failing: Route = () => ({ status: 500, body: {} });
	const { baseUrl } = await start({
		organization: empty,
		...Object.fromEntries(LIST_ROUTES.map((name) => [name, failing])),
	});
	const { markdown } = await check(baseUrl, TOKEN);
	expect(markdown).toContain('\nMost could not be checked: GET /tickets: 500. Unknown: ');
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
	['http://127.0.0.1:9/api/v2', 'could not be reached'],
	['https://nowhere.invalid/api/v2', 'was not found'],
])('%s: %s', async (url, words) => {
	// No name server is asked.
	const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((
		host: string,
		_options: unknown,
		done: (error: Error) => void,
	) => {
		done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
	}) as typeof dns.lookup);
	const run = await check(url, TOKEN);
	expect(lookup.mock.calls.map(([host]) => host)).toStrictEqual(
		url.includes('127.0.0.1') ? [] : ['nowhere.invalid'],
	);
	lookup.mockRestore();
	expect(run.code).toBe(1);
	expect(run.output).toContain(words);
});

test('the token is asked for if the environment has none', async () => {
	const { baseUrl, requests } = await start({ organization: empty, tickets: empty, chats: empty });
	const run = await command(['--base-url', baseUrl], {}, [TOKEN]);
	expect(run.code).toBe(0);
	expect(run.questions).toStrictEqual(['API token: ']);
	expect(requests[0]?.token).toBe(`Bearer ${TOKEN}`);
	expect(run.output).not.toContain(TOKEN);
});

test('--help shows the options', async () => {
	const { code, output } = await command(['--help']);
	expect(code).toBe(0);
	for (const option of ['--base-url', '--markdown']) expect(output).toContain(option);
});

test('a file in a missing folder is said before the first request', async () => {
	const { baseUrl, requests } = await start({ organization: empty, tickets: empty });
	const run = await command(['--base-url', baseUrl, '--markdown', '/nowhere/report.md'], {
		CONVERSATIONAL_MESSAGING_TOKEN: TOKEN,
	});
	expect(run.code).toBe(1);
	expect(run.output).toContain('cannot be written: its folder does not exist.');
	expect(requests).toStrictEqual([]);
});

test('a file that cannot be written costs only the file', async () => {
	const { baseUrl } = await start({ organization: empty, tickets: empty });
	const run = await command(['--base-url', baseUrl, '--markdown', tmpdir()], {
		CONVERSATIONAL_MESSAGING_TOKEN: TOKEN,
	});
	expect(run.code).toBe(1);
	expect(run.output).toContain('14 assumptions: ');
	expect(run.output).toContain(`${tmpdir()} cannot be written: EISDIR`);
});
