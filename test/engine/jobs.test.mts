import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { FakeTime } from '../time.mts';
import { byId, openHarness, type Harness } from './harness.mts';

/** Waiting for the service's background jobs, with every shape that the document does not define. */
type Shapes = SandboxOptions['shapes'];

let harness: Harness;
let time: FakeTime;
let plain: Shapes;
beforeAll(async () => {
	time = new FakeTime().install();
	harness = await openHarness({ clock: time.clock, rateLimit: { requests: 0 } });
	plain = { ...harness.sandbox.options.shapes };
});
afterAll(async () => {
	time.restore();
	await harness.close();
});
beforeEach(() => {
	Object.assign(harness.sandbox.options.shapes, plain);
	harness.sandbox.faults.clear();
	harness.sandbox.requests.length = 0;
	time.waits.length = 0;
});

const shaped = (shapes: Partial<Shapes>) => Object.assign(harness.sandbox.options.shapes, shapes);
const csv = 'name,waId\nAnn,12025550143\n,12025550144\n';
const waiting = { waitForCompletionMinutes: 10 };

const create = (options: IDataObject = waiting, recipients = '12025550143, 12025550144') => ({
	resource: 'broadcast',
	operation: 'create',
	name: 'Sale',
	templateId: { __rl: true, mode: 'list', value: `${template().id} welcome en_US` },
	templateVariables: {
		mappingMode: 'defineBelow',
		value: { 'body:name': 'Ann' },
		schema: [{ id: 'body:name', displayName: 'Body {{name}}', required: true }],
	},
	audience: 'list',
	recipients,
	options: options as INodeParameters,
});
const template = () =>
	harness.sandbox.world.templates.find(
		({ name, language }) => name === 'welcome' && language === 'en_US',
	)!;
const start = (options: IDataObject = waiting) => ({
	resource: 'contactImport',
	operation: 'start',
	options: options as INodeParameters,
});

async function run(parameters: INodeParameters) {
	const outcome = await harness.run(parameters, { file: csv });
	expect(outcome.error).toBeUndefined();
	return { ...outcome, waitResult: outcome.json[0]!.waitResult as IDataObject | undefined };
}
const posts = () => harness.sandbox.requests.filter(({ method }) => method === 'POST').length;
/** The data of the next lookups of a job. */
const respondToLookup = (data: unknown, times = 1) =>
	harness.sandbox.faults.add(
		{
			kind: 'status',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ success: true, data }),
		},
		{ times, matches: ({ method }) => method === 'GET' },
	);

const reads = () => harness.sandbox.requests.filter(({ method }) => method === 'GET').length;

describe.each(['id', '_id', 'jobId', 'byType'] as const)('a job ID called %s', (jobId) => {
	describe.each(['top', 'job', 'byType', 'importJob'] as const)('returned as “%s”', (jobUnder) => {
		test.each(['text', 'number'] as const)(
			'waiting finds the ID as %s, and ends when the job does',
			async (jobIdType) => {
				shaped({ jobId, jobUnder, jobIdType });
				for (const parameters of [create(), start()]) {
					// A record under "importJob" is not a broadcast.
					if (jobUnder === 'importJob' && parameters.resource === 'broadcast') continue;
					const { waitResult, hints } = await run(parameters);
					expect(waitResult).toEqual({
						ended: true,
						status: expect.stringMatching(/^completed$/i),
					});
					expect(hints).toEqual([]);
				}
			},
		);

		test('a job that is read by its ID can be waited for, and has no wait result otherwise', async () => {
			shaped({ jobId, jobUnder });
			await run(start({}));
			const job = [...harness.sandbox.world.imports.newestFirst()][0]!;
			const get = { resource: 'contactImport', operation: 'get', importId: byId(job.id) };
			expect((await run({ ...get, options: waiting })).waitResult).toMatchObject({ ended: true });
			// Without waiting, the record is exactly what the service returns.
			expect((await run(get)).waitResult).toBeUndefined();
		});
	});
});

describe('a job that cannot be tracked', () => {
	test.each([
		['a broadcast', create],
		['an import', start],
		['an import whose rejected rows are wanted', () => start({ returnFailedRows: true })],
	])(
		'the output of %s without an ID says that the job runs and cannot be tracked',
		async (_name, parameters) => {
			shaped({ jobId: 'none' });
			const { waitResult, hints, json } = await run(parameters());
			expect(waitResult).toEqual({
				ended: false,
				status: expect.stringMatching(/^queued$/i),
				reason: expect.stringMatching(
					/its response has no ID, so its progress cannot be tracked\. Do not repeat it; find it with Get Many$/,
				),
			});
			expect(hints[0]).toBe(waitResult!.reason);
			expect(json).toHaveLength(1);
			expect([posts(), reads()]).toEqual([1, 0]);
		},
	);

	test.each([404, 503])(
		'a lookup that fails with %d until the end leaves the job as created, and says so',
		async (status) => {
			harness.sandbox.faults.add(
				{ kind: 'status', status },
				{ times: 999, matches: ({ method }) => method === 'GET' },
			);
			for (const parameters of [create(), start()]) {
				const { waitResult, hints, json } = await run(parameters);
				expect(json[0]).toMatchObject({ id: expect.any(String) });
				expect(waitResult).toMatchObject({
					ended: false,
					status: expect.stringMatching(/^queued$/i),
					reason: expect.stringMatching(
						new RegExp(
							`was created, but could not be read at the end of the wait of 10 minutes: .*"Get (broadcast|import)".*${status}.*\\. Do not repeat it; check it later with Get$`,
						),
					),
				});
				expect(hints[0]).toBe(waitResult!.reason);
			}
			expect(posts()).toBe(2);
		},
	);

	test.each([
		{ kind: 'status', status: 503 },
		{ kind: 'status', status: 404 },
		{ kind: 'reset' },
		{ kind: 'truncate' },
	] as const)('lookups that fail for some time (%j) do not end the wait', async (fault) => {
		harness.sandbox.faults.add(fault, { times: 12, matches: ({ method }) => method === 'GET' });
		expect((await run(create())).waitResult).toEqual({ ended: true, status: 'COMPLETED' });
		expect(posts()).toBe(1);
	});

	test('a job that is read by its ID, and cannot be read, is a rejection', async () => {
		const get = { resource: 'contactImport', operation: 'get', importId: byId('none') };
		const { error, json } = await harness.run({ ...get, options: waiting });
		expect([error!.httpCode, json]).toEqual(['404', []]);
		expect(time.waits).toEqual([]);
	});

	test.each([{ kind: 'status', status: 503 }, { kind: 'reset' }] as const)(
		'a job that cannot be read at first (%j) is read again until the time is up',
		async (fault) => {
			await run(start({}));
			const job = [...harness.sandbox.world.imports.newestFirst()][0]!;
			const get = { resource: 'contactImport', operation: 'get', importId: byId(job.id) };
			harness.sandbox.faults.add(fault, { times: 12 });
			const { json } = await harness.run({ ...get, options: waiting });
			expect(json).toMatchObject([{ waitResult: { ended: true } }]);
			harness.sandbox.faults.add(fault, { times: 999 });
			const { error } = await harness.run({ ...get, options: waiting });
			expect(error!.message).toMatch(/Get import/);
		},
	);

	test('a job that was read by its ID once, and cannot be read later, is returned as it was read', async () => {
		await run(start({}));
		const job = [...harness.sandbox.world.imports.newestFirst()][0]!;
		let looks = 0;
		harness.sandbox.faults.add(
			{ kind: 'status', status: 403 },
			{ times: 999, matches: ({ method }) => method === 'GET' && ++looks > 1 },
		);
		const get = { resource: 'contactImport', operation: 'get', importId: byId(job.id) };
		const { waitResult, json } = await run({ ...get, options: waiting });
		expect(json[0]).toMatchObject({ id: job.id, status: 'queued' });
		expect(waitResult).toEqual({
			ended: false,
			status: 'queued',
			// Nothing was created, so it can be run again.
			reason: expect.stringMatching(
				new RegExp(
					`^The import ${job.id} was found, but could not be read .* \\(403 .*\\. Check it later with Get$`,
				),
			),
		});
	});

	test('a run that is stopped during a lookup returns nothing', async () => {
		const controller = new AbortController();
		harness.sandbox.faults.add(
			{ kind: 'hang' },
			{
				matches: ({ method }) => {
					if (method === 'GET') setImmediate(() => controller.abort());
					return method === 'GET';
				},
			},
		);
		const { json, run: stopped } = await harness.run(create(), { signal: controller.signal });
		expect([json, stopped.status]).toEqual([[], 'canceled']);
	});

	test.each([null, 'queued', 7, [], {}, { import: null }])(
		'a look-up that returns %j instead of the job leaves the job as it was created',
		async (data) => {
			respondToLookup(data, 99);
			const { waitResult, json } = await run(start());
			expect(json).toMatchObject([{ id: expect.any(String), status: 'queued' }]);
			expect(waitResult).toMatchObject({
				ended: false,
				status: 'queued',
				reason: expect.stringContaining('Get import: the response contains no record'),
			});
		},
	);

	test('a service that asks to wait longer than the wait does not prolong it', async () => {
		const startedAt = time.clock.now();
		harness.sandbox.faults.add(
			{ kind: 'status', status: 503, headers: { 'retry-after': '290' } },
			{
				times: 99,
				matches: ({ path, method }) => method === 'GET' && path.startsWith('/contacts/imports/'),
			},
		);
		const { waitResult } = await run(start({ waitForCompletionMinutes: 1 }));
		expect(waitResult).toMatchObject({ ended: false });
		expect(time.clock.now() - startedAt).toBeLessThan(2 * 60_000);
	});
});

describe('the status of an import', () => {
	test.each([
		['lower', 'completed'],
		['upper', 'COMPLETED'],
		['usual', 'SUCCEEDED'],
	] as const)(
		'with statuses named as in “%s”, waiting ends with the status %s',
		async (importStates, status) => {
			shaped({ importStates });
			const { waitResult } = await run(start());
			expect(waitResult).toEqual({ ended: true, status });
			expect(time.waits.length).toBeGreaterThan(0);
		},
	);

	test('with a status of an unknown name, waiting ends after its time and says so', async () => {
		respondToLookup({ id: 'x', status: 'stage-2' }, 99);
		const { waitResult } = await run(start({ waitForCompletionMinutes: 3 }));
		expect(waitResult).toEqual({
			ended: false,
			status: 'stage-2',
			reason:
				'After 3 minutes, it is unclear whether the import has ended: the status stage-2 is unknown. Check it later with Get, or in the dashboard',
		});
		expect(time.waits.reduce((sum, ms) => sum + ms, 0)).toBe(180_000);
	});
});

describe('the lookups of a wait', () => {
	test('come later and later, up to half a minute apart', async () => {
		respondToLookup({ id: 'x', status: 'processing' }, 99);
		await run(start({ waitForCompletionMinutes: 3 }));
		expect(time.waits).toEqual([
			2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000, 30_000, 25_656.25,
		]);
		expect(reads()).toBe(11);
	});

	test('of a job that is read by its ID begin at once: one that has ended is not waited for', async () => {
		respondToLookup({ id: 'x', status: 'completed' });
		const get = { resource: 'contactImport', operation: 'get', importId: byId('x') };
		const { waitResult } = await run({ ...get, options: waiting });
		expect(waitResult).toEqual({ ended: true, status: 'completed' });
		expect([time.waits, reads()]).toEqual([[], 1]);
	});

	test('of many items run side by side: no item waits for another', async () => {
		respondToLookup({ id: 'x', status: 'processing' }, 999);
		const get = { resource: 'contactImport', operation: 'get', importId: byId('x') };
		const items = Array.from({ length: 20 }, () => ({}));
		const startedAt = time.clock.now();
		const { json } = await harness.run({ ...get, options: waiting }, { items });
		expect(json).toHaveLength(20);
		expect(json[19]!.waitResult).toMatchObject({ ended: false, status: 'processing' });
		expect(time.clock.now() - startedAt).toBeLessThan(2 * 600_000);
	});

	test.each(['soon', 0, -1, 'Infinity'])(
		'for %j minutes are rejected before anything is sent',
		async (value) => {
			const parameters = start({ waitForCompletionMinutes: value });
			const { error } = await harness.run(parameters, { file: csv });
			expect(error!.message).toMatch(/^Wait for Completion \(Minutes\) expects a number/);
			expect(harness.sandbox.requests).toEqual([]);
		},
	);
});

describe('Return Failed Rows', () => {
	const rows = () => start({ returnFailedRows: true });
	const report = ({ path }: { path: string }) => path.endsWith('/errors');

	test('failed rows are returned after the import has ended', async () => {
		expect((await run(rows())).json).toEqual([
			expect.objectContaining({ row: '3', error: 'name is missing' }),
		]);
	});

	test('failed rows are not requested before the end: the import is returned with a note', async () => {
		const lines = Array.from({ length: 9000 }, (_, n) => `Ann,1202555${n}`).join('\n');
		const { json, hints, error } = await harness.run(
			start({ returnFailedRows: true, waitForCompletionMinutes: 1 }),
			{
				file: `name,waId\n${lines}`,
			},
		);
		expect(error).toBeUndefined();
		expect(json).toEqual([
			expect.objectContaining({
				status: 'processing',
				waitResult: {
					ended: false,
					status: 'processing',
					reason:
						'The import did not finish within 1 minute; its status is still processing. It continues in the service. Check it later with Get, or follow it with the trigger',
				},
			}),
		]);
		expect(hints).toEqual([
			expect.stringMatching(/^The import did not finish/),
			expect.stringMatching(/^Failed rows are not returned/),
		]);
		expect(harness.sandbox.requests.some(report)).toBe(false);
	});

	test.each([
		['403', { kind: 'status', status: 403 }, /403/],
		['404', { kind: 'status', status: 404 }, /404/],
		['cut off', { kind: 'cut' }, /broke off|incomplete/],
		[
			'no file',
			{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
			/no file/,
		],
	] as const)(
		'failed rows that cannot be read (%s) leave the import as ended, with a note',
		async (_name, fault, why) => {
			harness.sandbox.faults.add(fault, { matches: report });
			const { json, hints } = await run(rows());
			expect(json).toEqual([
				expect.objectContaining({
					status: 'completed',
					successCount: 1,
					waitResult: { ended: true, status: 'completed' },
					failedRowsReport: { available: false, reason: expect.stringMatching(why) },
				}),
			]);
			expect(hints).toEqual([
				expect.stringMatching(
					/^The import has ended, but its failed rows .* Do not import them again; use Get Failed Rows later$/,
				),
			]);
			expect(posts()).toBe(1);
		},
	);

	test('a run that is stopped while failed rows are read returns nothing', async () => {
		const controller = new AbortController();
		harness.sandbox.faults.add(
			{ kind: 'hang' },
			{
				matches: (request) => {
					if (report(request)) controller.abort();
					return report(request);
				},
			},
		);
		const { json } = await harness.run(rows(), { file: csv, signal: controller.signal });
		expect(json).toEqual([]);
	});
});

test('import jobs are read in one request, as many as wanted, and all of them unless only active ones are', async () => {
	const jobs = { resource: 'contactImport', operation: 'getAll' };
	await harness.run({ ...jobs, limit: 3 });
	await harness.run({ ...jobs, returnAll: true, filters: { activeOnly: true } });
	expect(harness.sandbox.requests.map(({ query }) => query)).toEqual([
		{ limit: '3' },
		{ limit: '200', activeOnly: 'true' },
	]);
});
