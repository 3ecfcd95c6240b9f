import { readFileSync } from 'node:fs';
import { outputOf } from '../../engine/engine.mts';
import type { WorkflowFile } from '../../engine/workflows.mts';
import { FakeTime } from '../time.mts';
import { openHarness, type Harness } from './harness.mts';

let harness: Harness;
let time: FakeTime;
beforeEach(async () => {
	time = new FakeTime().install();
	harness = await openHarness({ contacts: 20, clock: time.clock, rateLimit: { requests: 0 } });
});
afterEach(async () => {
	time.restore();
	await harness.close();
});

async function runExample(name: string) {
	const text = readFileSync(new URL(`../../examples/${name}.json`, import.meta.url));
	const { sandbox, engine } = harness;
	const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
	const result = await engine.run(JSON.parse(text.toString()) as WorkflowFile, { credential });
	expect(result.data.resultData.error).toBeUndefined();
	return (node: string) => outputOf(result, node);
}

test('the example that syncs contacts writes nothing the second time, and creates one ticket for all conflicts', async () => {
	const results = (output: Awaited<ReturnType<typeof runExample>>) =>
		output('Sync Contacts').map(({ json }) => json.result);
	const first = await runExample('contact-sync');
	expect(results(first)).toEqual(['created', 'created', 'created', 'conflict', 'conflict']);
	expect(first('Ticket with All Rows').map(({ json }) => json.title)).toEqual([
		'2 rows of the sheet need a decision',
	]);
	harness.sandbox.requests.length = 0;
	const second = await runExample('contact-sync');
	expect(results(second)).toEqual([...Array(3).fill('unchanged'), 'conflict', 'conflict']);
	const written = harness.sandbox.requests.filter(({ method }) => method !== 'GET');
	expect(written.map(({ route }) => route)).toEqual(['POST /tickets']);
});

describe('the example that imports contacts', () => {
	const run = async () => await runExample('contact-import');

	test('an import that has ended leads to a ticket per rejected row', async () => {
		const output = await run();
		expect(output('Ticket per Row')).toHaveLength(2);
		expect(output('Ticket to Check')).toEqual([]);
	});

	test('an import that has not ended leads to one ticket to check it, and its rows are not read', async () => {
		const body = JSON.stringify({ success: true, data: { id: 'x', status: 'processing' } });
		harness.sandbox.faults.add(
			{ kind: 'status', status: 200, body, headers: { 'content-type': 'application/json' } },
			{ times: 999, matches: ({ route }) => route === 'GET /contacts/imports/{id}' },
		);
		const output = await run();
		expect(output('Get Failed Rows')).toEqual([]);
		expect(output('Ticket per Row')).toEqual([]);
		expect(output('Ticket to Check').map(({ json }) => json.title)).toEqual([
			expect.stringMatching(/^Check the import of sign-ups: Stopped waiting after 60 minutes/),
		]);
	});
});
