import { runCheck } from '../../tools/check/check.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import { check } from './harness.mts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ contacts: 60, tickets: 60 });
});
afterAll(async () => await sandbox.close());
beforeEach(() => void (sandbox.requests.length = 0));
afterEach(() => {
	expect(new Set(sandbox.requests.map(({ method }) => method))).toStrictEqual(new Set(['GET']));
	expect(sandbox.requests.length).toBeLessThanOrEqual(30);
});

test('a service that fits', async () => {
	expect(await check(sandbox.baseUrl, sandbox.tokens.all.value)).toMatch(
		/^Your service works with this package\. Unknown: 0 of 8 questions\.\n\n✓ /,
	);
});

test('what a token may not read is left out', async () => {
	const report = await check(sandbox.baseUrl, sandbox.tokens.withoutSettings.value);
	expect(report).toMatch(
		/^✓ .*\(lists\)\n(?: {4}.*\n)* {4}– GET \/channels: no permission, or an inactive or expired token \(403\)\n/m,
	);
});

test('what is read goes by the readers of the nodes', async () => {
	sandbox.options.shapes.messageOrder = 'oldest';
	const { answers } = await runCheck(sandbox.baseUrl, sandbox.tokens.all.value);
	const broken = answers.filter(({ findings }) => findings.some(({ mark }) => mark === '✗'));
	expect(broken.map(({ question }) => question.id)).toStrictEqual(['message-pages']);
});
