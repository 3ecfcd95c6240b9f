import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import type { SandboxOptions } from '../../sandbox/options.mts';
import { byId, WELCOME_BROADCAST } from './harness.mts';
import { on, SharedHarness } from './sharedHarness.mts';

/** Waiting for the service's background jobs, with shapes that the document does not define. */
const service = new SharedHarness({ contacts: 1, tickets: 1 });

const CSV = 'name,waId\nAnn,12025550143\n,12025550144\n';
const WAIT = { waitForCompletionMinutes: 10 };

const create = (options: INodeParameters = WAIT): INodeParameters => ({
	...WELCOME_BROADCAST,
	audience: 'list',
	recipients: '12025550143, 12025550144',
	options,
});
const start = (options: INodeParameters = WAIT): INodeParameters => ({
	resource: 'contactImport',
	operation: 'start',
	options,
});
const get = (importId: string, options: INodeParameters = WAIT): INodeParameters => ({
	resource: 'contactImport',
	operation: 'get',
	importId: byId(importId),
	options,
});

async function run(parameters: INodeParameters) {
	const outcome = await service.run(parameters, { file: CSV });
	expect(outcome.error).toBeUndefined();
	return { ...outcome, waitResult: outcome.json[0]!.waitResult as IDataObject | undefined };
}

/** Starts an import without waiting for it. */
async function startedImport(): Promise<string> {
	await run(start({}));
	return [...service.world.imports.newestFirst()][0]!.id;
}

const isLookup = ({ method }: FaultyRequest) => method === 'GET';
const posts = () => service.requests.filter(({ method }) => method === 'POST').length;
const reads = () => service.requests.filter(isLookup).length;

test.each<Partial<SandboxOptions['shapes']>>([
	{ jobId: 'id', jobUnder: 'top', jobIdType: 'number', importStates: 'upper' },
	{ jobId: 'byType', jobUnder: 'top', importStates: 'usual' },
	{ jobId: 'byType', jobUnder: 'byType' },
])('a job is waited for until it ends, also in the shape %j', async (shapes) => {
	Object.assign(service.shapes, shapes);
	for (const parameters of [create(), start()]) {
		const { waitResult, hints } = await run(parameters);
		const status = expect.stringMatching(/^(completed|succeeded)$/i) as unknown;
		expect([waitResult, hints]).toStrictEqual([{ ended: true, status }, []]);
	}
	const id = await startedImport();
	expect((await run(get(id))).waitResult).toMatchObject({ ended: true });
	// Without waiting, the record is exactly what the service returns.
	expect((await run(get(id, {}))).waitResult).toBeUndefined();
});

describe('a job that has ended', () => {
	const ended = (status: string, more: IDataObject = {}) =>
		service.respond({ success: true, data: { id: 'x', status, ...more } }, on('GET', 99));

	const COMPLETED = { status: 'completed' };
	const unclear = (record: IDataObject) =>
		`, and its fields ${Object.keys({ id: 'x', ...record }).join(', ')} do not show for certain whether rows failed`;
	type Result = [noun: string, record: IDataObject, succeeded: boolean | undefined, why: string];
	const RESULTS: Result[] = [
		['broadcast', { status: 'COMPLETED' }, true, ''],
		['broadcast', { status: 'FAILED' }, false, ''],
		['broadcast', { status: 'PARTIAL' }, false, ''],
		['broadcast', { status: 'CANCELLED' }, false, ''],
		['import', { ...COMPLETED, failedCount: 0 }, true, ''],
		['import', { status: 'failed', failedCount: 0 }, false, ''],
		['import', { ...COMPLETED, failedCount: 1 }, false, ', and 1 row failed'],
		['import', { ...COMPLETED, failed: 0, rejected: 5 }, false, ', and 5 rows failed'],
		['import', { ...COMPLETED, failed: 0, stats: { failed: 5 } }, false, ', and 5 rows failed'],
		['import', { status: 'done', counters: { failed_rows: '2' } }, false, ', and 2 rows failed'],
		...['failed', 'failedRows', 'errors', 'error_count', 'errorRows', 'invalid'].map(
			(name): Result => ['import', { ...COMPLETED, [name]: 1 }, false, ', and 1 row failed'],
		),
		['import', { ...COMPLETED, failedCount: 0, error: null, errors: [] }, true, ''],
		['import', { status: 'done', errors: [1, 2] }, false, ', and 2 rows failed'],
		['import', { ...COMPLETED, failedCount: 2, error: 'broken' }, false, ', and 2 rows failed'],
		...[
			...[{ badRows: 2 }, { error: null, badRows: 2 }, { error: '', errors: [] }],
			...[{ failed: null }, { failed: ' ' }, { errors: 'unknown' }],
			{ failedCount: 0, error: 'the file is unreadable' },
		].map((fields): Result => {
			const record = { ...COMPLETED, ...fields };
			return ['import', record, undefined, unclear(record)];
		}),
	];

	test.each(RESULTS)(
		'a %s that ended with %j succeeded: %s%s',
		async (noun, record, succeeded, why) => {
			const status = record.status as string;
			for (const parameters of noun === 'import' ? [start(), get('x')] : [create()]) {
				service.sandbox.faults.clear();
				ended(status, record);
				const { json, hints } = await run(parameters);
				expect(hints.some((hint) => hint.includes(`${status}${why}`))).toBe(
					succeeded === undefined,
				);
				expect(json[0]!.waitResult).toStrictEqual({ ended: true, status });
				expect(json[0]!.succeeded).toBe(succeeded);
				service.requests.length = 0;
				const required = { ...parameters, options: { requireSuccess: true } };
				const { error } = await service.run(required, { file: CSV });
				const isCreated = parameters.operation !== 'get';
				expect(posts()).toBe(isCreated ? 1 : 0);
				const message = new RegExp(`^The ${noun} \\w+ ended with the status ${status}${why}$`);
				const again = isCreated ? `Running the node again creates another ${noun}. ` : '';
				const description = `${again}See its results with Get or in the dashboard.`;
				expect([error?.message, error?.description]).toStrictEqual(
					succeeded ? [undefined, undefined] : [expect.stringMatching(message), description],
				);
			}
		},
	);

	test('is not known to have succeeded if the end is unknown: Require Success fails the item', async () => {
		ended('processing');
		const { waitResult, json } = await run(create());
		expect(json[0]).not.toHaveProperty('succeeded');
		expect(await service.error(create({ ...WAIT, requireSuccess: true }))).toMatchObject({
			message: waitResult!.reason,
			description: 'Require Success is on, so the item fails.',
		});
	});
});

describe('a job that cannot be tracked', () => {
	test.each([
		['a broadcast', create()],
		['an import', start()],
		['an import whose rejected rows are wanted', start({ returnFailedRows: true })],
	])(
		'the output of %s without an ID says that the job runs and cannot be tracked',
		async (_name, parameters) => {
			service.shapes.jobId = 'none';
			const { waitResult, hints, json } = await run(parameters);
			expect(waitResult).toStrictEqual({
				ended: false,
				status: expect.stringMatching(/^queued$/i),
				reason: expect.stringMatching(
					/its response has no ID, so its progress cannot be tracked\. Do not repeat it; find it with Get Many$/,
				),
			});
			expect(hints[0]).toBe(waitResult!.reason);
			expect([json.length, posts(), reads()]).toStrictEqual([1, 1, 0]);
		},
	);

	test('a broadcast whose lookups fail until the end is returned as it was created, and says so', async () => {
		service.reject(404, on('GET', 999));
		const { waitResult, hints, json } = await run(create());
		expect(json[0]).toMatchObject({ id: expect.any(String) });
		expect(waitResult).toMatchObject({
			ended: false,
			status: 'QUEUED',
			reason: expect.stringMatching(
				/was created, but could not be read at the end of the wait of 10 minutes: .*"Get broadcast".*404.*\. Do not repeat it; check it later with Get$/,
			),
		});
		expect(hints[0]).toBe(waitResult!.reason);
		expect(posts()).toBe(1);
	});

	test('lookups that fail for some time do not end the wait', async () => {
		service.sandbox.faults.add({ kind: 'reset' }, { times: 12, matches: isLookup });
		expect((await run(create())).waitResult).toStrictEqual({ ended: true, status: 'COMPLETED' });
		expect(posts()).toBe(1);
	});

	test('a job that cannot be read at first is read again until the time is up', async () => {
		const id = await startedImport();
		for (const fault of [{ kind: 'reset' }, { kind: 'status', status: 408 }] as const) {
			service.sandbox.faults.add(fault, { times: 12 });
			expect((await run(get(id))).waitResult).toMatchObject({ ended: true });
		}
		// Longer than one request may wait: it ends with 429.
		const headers = { 'retry-after': '301' };
		service.sandbox.faults.add({ kind: 'status', status: 429, headers });
		expect((await run(get(id))).waitResult).toMatchObject({ ended: true });
		service.sandbox.faults.add({ kind: 'reset' }, { times: 999 });
		expect((await service.error(get(id))).message).toMatch(/Get import/);
	});

	test.each([null, 'queued', [], { import: null }])(
		'a look-up that returns %j instead of the job leaves the job as it was created',
		async (data) => {
			service.respond({ success: true, data }, on('GET', 99));
			const { waitResult, json } = await run(start());
			expect(json).toMatchObject([{ id: expect.any(String), status: 'queued' }]);
			expect(waitResult).toMatchObject({
				ended: false,
				status: 'queued',
				reason: expect.stringContaining('Get import: the response contains no record'),
			});
		},
	);

	test('an import that is found, and cannot be read at the end, is returned as it was read', async () => {
		const id = await startedImport();
		service.respond({ success: true, data: { id, status: 'processing' } });
		service.reject(404, { times: 99 });
		const { json, hints } = await run(get(id, { waitForCompletionMinutes: 1 }));
		expect(json).toMatchObject([{ id, status: 'processing' }]);
		expect(hints).toStrictEqual([
			`The import ${id} was found, but could not be read at the end of the wait of 1 minute: The service rejected "Get import": Something went wrong (404 Not Found). Check it later with Get`,
		]);
	});

	test('a service that asks to wait longer than the wait does not prolong it', async () => {
		const startedAt = service.time.clock.now();
		const fault = { kind: 'status', status: 503, headers: { 'retry-after': '290' } } as const;
		service.sandbox.faults.add(fault, on('GET', 99));
		const { waitResult } = await run(start({ waitForCompletionMinutes: 1 }));
		expect(waitResult).toMatchObject({ ended: false });
		expect(service.time.clock.now() - startedAt).toBeLessThan(2 * 60_000);
	});
});

describe('the lookups of a wait', () => {
	test('of many items run side by side: no item waits for another', async () => {
		service.respond({ success: true, data: { id: 'x', status: 'processing' } }, { times: 999 });
		const startedAt = service.time.clock.now();
		const json = await service.ok(get('x'), { items: Array<object>(20).fill({}) as [] });
		expect(json).toHaveLength(20);
		expect(json[19]!.waitResult).toMatchObject({ ended: false, status: 'processing' });
		expect(service.time.clock.now() - startedAt).toBeLessThan(2 * 600_000);
	});

	test('begin at once for a job that is found, and are repeated ever later', async () => {
		const id = await startedImport();
		const states = ['queued', 'processing', 'completed'];
		for (const status of states) service.respond({ success: true, data: { id, status } });
		expect((await run(get(id))).waitResult).toStrictEqual({ ended: true, status: 'completed' });
		expect(service.time.waits).toStrictEqual([2_000, 3_000]);
	});

	const NEXT =
		'It continues in the service. Check it later with Get, or follow it with the trigger';
	const CHECK = 'Check it later with Get, or in the dashboard';
	test.each<[status: string | undefined, minutes: number, reason: string]>([
		['queued', 1, `The import did not finish within 1 minute; its status is still queued. ${NEXT}`],
		[
			'queued',
			1.26,
			`The import did not finish within 1.3 minutes; its status is still queued. ${NEXT}`,
		],
		[
			'stage-2',
			2,
			`After 2 minutes, it is unclear whether the import has ended: the status stage-2 is unknown. ${CHECK}`,
		],
		[
			undefined,
			2,
			`After 2 minutes, it is unclear whether the import has ended: the service returns no status. ${CHECK}`,
		],
	])('that show the status %j for %d minutes: %s', async (status, minutes, reason) => {
		const data = { id: 'x', status, finishedAt: null };
		service.respond({ success: true, data }, { times: 999 });
		const { waitResult, hints } = await run(get('x', { waitForCompletionMinutes: minutes }));
		expect(waitResult).toStrictEqual({ ended: false, reason, ...(status && { status }) });
		expect(hints).toStrictEqual([reason]);
	});

	test('do not begin if another item has failed', async () => {
		let sent = 0;
		service.reject(400, { matches: ({ method }) => method === 'POST' && ++sent === 2 });
		const { description } = await service.error(create(), { items: [{}, {}] });
		expect(description).toContain('1 of 2 items had already succeeded');
		expect(reads()).toBe(0);
	});

	test.each(['soon', 0, 'Infinity', 10_081])(
		'for %j minutes are rejected before anything is sent, up to a week is accepted',
		async (waitForCompletionMinutes) => {
			const { message } = await service.rejected(start({ waitForCompletionMinutes }));
			expect(message).toMatch(/^Wait for Completion \(Minutes\) expects a number/);
			await run(start({ waitForCompletionMinutes: 10_080 }));
		},
	);
});

describe('Return Failed Rows', () => {
	const rows = () => start({ returnFailedRows: true });
	const isReport = ({ path }: { path: string }) => path.endsWith('/errors');

	test('failed rows are returned after the import has ended', async () => {
		expect((await run(rows())).json).toStrictEqual([
			expect.objectContaining({ row: '3', error: 'name is missing' }),
		]);
	});

	test('failed rows are not requested before the end: the import is returned with a note', async () => {
		service.respond({ success: true, data: { id: 'x', status: 'processing' } }, on('GET', 99));
		// Without Wait for Completion, the wait has its usual length.
		const { json, hints } = await run(rows());
		const reason = expect.stringMatching(/^The import did not finish within 10 minutes/) as string;
		expect(json).toStrictEqual([
			{
				...{ id: 'x', status: 'processing' },
				waitResult: { ended: false, status: 'processing', reason },
			},
		]);
		expect(hints).toStrictEqual([reason, expect.stringMatching(/^Failed rows are not returned/)]);
		expect(service.requests.some(isReport)).toBe(false);
	});

	/** Ends that are no success, although the report has no rows. */
	test.each<[end: IDataObject, why: string]>([
		[{ status: 'FAILED', failedRows: 0 }, 'FAILED'],
		[{ status: 'completed', failedRows: 2 }, 'completed, and 2 rows failed'],
	])('an import that ended with %j and an empty report fails', async (end, why) => {
		for (const report of ['row,error\n', '']) {
			service.sandbox.faults.clear();
			service.respond(
				{ success: true, data: { id: 'x', ...end } },
				{ times: 99, matches: (request) => isLookup(request) && !isReport(request) },
			);
			service.respondWith('text/csv', report, { matches: isReport });
			expect(await service.error(rows(), { file: CSV })).toMatchObject({
				message: expect.stringMatching(
					`^The import \\w+ ended with the status ${why}, but its report of failed rows is empty$`,
				),
				description:
					'See its results with Get or in the dashboard. Running the node again creates another import.',
			});
		}
	});

	test('an import without failed rows returns no items', async () => {
		const { json: none } = await service.run(rows(), { file: 'name,waId\nAnn,12025550143\n' });
		expect(none).toStrictEqual([]);
	});

	test.each([
		['404', { kind: 'status', status: 404 }, /404/],
		['cut off', { kind: 'cut' }, /incomplete/],
		[
			'no file',
			{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
			/no file/,
		],
	] as const)(
		'failed rows that cannot be read (%s) leave the import as ended, with a note',
		async (_name, fault, why) => {
			service.sandbox.faults.add(fault, { matches: isReport });
			const { json, hints } = await run(rows());
			expect(json).toStrictEqual([
				expect.objectContaining({
					status: 'completed',
					successCount: 1,
					waitResult: { ended: true, status: 'completed' },
					failedRowsReport: { available: false, reason: expect.stringMatching(why) },
				}),
			]);
			expect(hints).toStrictEqual([
				expect.stringMatching(
					/^The import has ended, but its failed rows .* Do not import them again; use Get Failed Rows later$/,
				),
			]);
			expect(posts()).toBe(1);
		},
	);
});

test.each([
	['during a lookup of a broadcast', create(), '/broadcasts/'],
	['while failed rows are read', start({ returnFailedRows: true }), '/errors'],
])('a run that is stopped %s returns nothing', async (_when, parameters, path) => {
	const signal = service.stopDuring((request) => isLookup(request) && request.path.includes(path));
	const { json, run } = await service.run(parameters, { file: CSV, signal });
	expect([json, run.status]).toStrictEqual([[], 'canceled']);
});

test('import jobs are read in one request, as many as wanted, and all of them unless only active ones are', async () => {
	const jobs = { resource: 'contactImport', operation: 'getAll' };
	await run(start());
	await startedImport();
	service.requests.length = 0;
	await service.run({ ...jobs, limit: 3, filters: { activeOnly: false } });
	expect(
		await service.ok({ ...jobs, returnAll: true, filters: { activeOnly: true } }),
	).toHaveLength(1);
	expect(service.requests.map(({ query }) => query)).toEqual([
		{ limit: '3' },
		{ limit: '200', activeOnly: 'true' },
	]);
});
