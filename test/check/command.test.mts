import { execFile } from 'node:child_process';
import { readBaseUrl, readToken } from '../../tools/check/input.mts';
import { closedAfterEach, LIST_ROUTES, routed, TOKEN } from '../support/plainService.mts';
import { always } from './harness.mts';

const startService = closedAfterEach();

test.each<[args: string[], message: string]>([
	[[], 'Enter the base URL'],
	[['example'], 'not a web address'],
	[['--help'], 'not a web address'],
	[['https://service.example.com'], 'must end in /api/v2'],
	[['http://service.example.com/api/v2'], 'would send the token unencrypted'],
	[['wa_pk_1'], 'The base URL "***" is not a web address'],
	[['http://127.0.0.1:9/api/v2', 'wa_pk_1'], 'The only argument is the base URL'],
])('arguments %j: %s', (args, message) => {
	expect(() => readBaseUrl(args)).toThrow(message);
	expect(() => readBaseUrl(args)).not.toThrow('wa_pk_1');
});

test.each(['', '  ', 'wa_pk_1 wa_pk_2', 'wa_pk_ü', 'Bearer wa_pk_1'])('token %j', (token) => {
	expect(() => readToken(token)).toThrow('There is no token, or it is not one of the service’s');
	expect(() => readToken(token)).not.toThrow(/wa_pk_[12ü]/);
});

interface Run {
	code: unknown;
	stdout: string;
	stderr: string;
}

/** Runs the command. */
const run = async (baseUrl: string, token: string): Promise<Run> =>
	await new Promise((resolve) => {
		const args = ['--import', 'tsx', 'tools/check/main.mts', baseUrl];
		const env = { ...process.env, CONVERSATIONAL_MESSAGING_TOKEN: token };
		execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
			resolve({ code: error?.code ?? 0, stdout, stderr }),
		);
	});

test('the exit code is 0 after a report, whatever it says, and 1 without one', async () => {
	const lists = Object.fromEntries(LIST_ROUTES.map((route) => [route, always({})]));
	const { baseUrl } = await startService(routed({ organization: always({}), ...lists }));
	const [report, none] = await Promise.all([
		run(baseUrl, ` ${TOKEN}\n`),
		run(baseUrl, 'wa_pk_other'),
	]);
	expect(report).toMatchObject({
		...{ code: 0, stderr: 'Reading the service …\n\n' },
		stdout: expect.stringMatching(/except for what is marked ✗/) as unknown,
	});
	expect(none).toMatchObject({
		...{ code: 1, stdout: '' },
		stderr: expect.stringMatching(/token \(401\)\.\nCreate a token/) as unknown,
	});
	expect(JSON.stringify([report, none])).not.toMatch(/wa_pk_/);
});
