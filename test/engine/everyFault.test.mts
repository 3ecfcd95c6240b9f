import { LoggerProxy } from 'n8n-workflow';
import { MAX_LIMIT } from '../../nodes/ConversationalMessaging/api/concurrencyLimit.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import { startSandbox, type Sandbox, type ReceivedRequest } from '../../sandbox/server.mts';
import { FakeTime } from '../support/time.mts';
import { openHarness, type Harness, type NodeRun, type Outcome } from './harness.mts';
import { faultTable, TRIES, type FaultCase } from './faultTable.mts';
import { operations } from './operationList.mts';
import { RAW } from './rawExceptions.mts';
import { nameOf, people, scenarios, worldOf, type Scenario } from './scenarios.mts';

/**
 * Every operation, whatever happens to its requests.
 *
 * Each scenario runs again and again; each time, one fault of the table replaces one response. Of many requests of a
 * route, the first and the second count as different, since the second may be a page or a read of a job.
 *
 * One scenario per kind of result and HTTP method meets every fault, as those of a kind read their responses with the
 * same code. The others meet some of those that are `typical`, one for each way in which a response can fail. Each fault
 * happens to one request of a scenario, in rotation. With LONG, every fault happens to every request of every scenario.
 */
const LONG = process.env.LONG !== undefined;

/** The scenarios that meet every fault. */
const REPRESENTATIVE = [
	'broadcast: create',
	'chat: escalate',
	'chat: getMessages',
	'contact: export',
	'contact: get',
	'contact: upsert, who is known',
	'contactField: delete',
	'contactField: update',
	'segment: addContacts',
	'ticket: create',
	'ticket: get',
	'ticket: getAll',
	'ticket: update',
	'user: getAll',
];

/** What a response is: a page of a list is JSON too. */
type Content = 'file' | 'json' | 'pages';

/** A request of a scenario: its number in the run, its route, and its response. */
interface Place {
	index: number;
	route: string;
	page?: string;
	contents: Content[];
}

/** Everything that was written to n8n's log. */
const logged: unknown[] = [];

/** Any eight characters of a token reveal a part of it, except for the ordinary word at its end. */
const partsOf = (token: string): string[] =>
	Array.from({ length: token.indexOf('permissions') - 7 }, (_, index) =>
		token.slice(index, index + 8),
	);

const routeOf = ({ route, method, path }: ReceivedRequest): string => route ?? `${method} ${path}`;

const isFile = (path: string): boolean =>
	/csv-template|import-template|export|\/errors$/.test(path);

/** Whether a fault can happen to one of these responses. */
const concerns = ({ only }: FaultCase, contents: Content[]): boolean =>
	only === undefined || contents.includes(only);

const operationOf = (scenario: Scenario): Operation =>
	operations.find(
		([, resource, { value }]) => resource === scenario.resource && value === scenario.operation,
	)![2];

/** All that the requests of a scenario read. */
function contentsOf(scenario: Scenario): Content[] {
	const { result, endpoint } = operationOf(scenario);
	const hasPages = result === 'pages' || result === 'history' || scenario.alsoReads === 'pages';
	const contents: Content[] = isFile(endpoint) ? ['file'] : ['json'];
	if (hasPages) contents.push('pages');
	if (scenario.alsoReads === 'file') contents.push('file');
	return contents;
}

/** The kind of result, and the HTTP method that gets it: "record POST". */
const kindOf = (scenario: Scenario): string => {
	const { result, endpoint } = operationOf(scenario);
	return `${result} ${endpoint.split(' ', 1)[0]!}`;
};

let harness: Harness;
let time: FakeTime;
beforeAll(async () => {
	time = new FakeTime().install();
	harness = await openHarness({ rateLimit: { requests: 0 }, clock: time.clock });
});
afterAll(async () => {
	time.restore();
	await harness.close();
});

const token = 'wa_pk_sandbox_all_permissions';
const table = faultTable(token, () => time.expiring());
const typical = table.filter((row) => row.typical);

beforeAll(() => {
	const write = (...entry: unknown[]) => void logged.push(entry);
	LoggerProxy.init({ debug: write, info: write, warn: write, error: write });
});

test('every operation has a scenario', () => {
	const covered = new Set(scenarios.map(({ resource, operation }) => `${resource}: ${operation}`));
	expect(operations.map(([name]) => name).filter((name) => !covered.has(name))).toStrictEqual([]);
});

test('of every kind of result and method, a scenario meets every fault', () => {
	const whole = scenarios.filter((scenario) => REPRESENTATIVE.includes(nameOf(scenario)));
	expect(whole).toHaveLength(REPRESENTATIVE.length);
	expect(new Set(scenarios.map(kindOf))).toStrictEqual(new Set(whole.map(kindOf)));
});

describe.each(scenarios.map((scenario, turn) => [nameOf(scenario), scenario, turn] as const))(
	'%s',
	(name, scenario, turn) => {
		const own = operationOf(scenario);
		const kind = own.result;
		const isList = kind === 'pages' || kind === 'rows' || kind === 'history';
		const readsFile = scenario.parameters.output === 'items';
		const toItems = readsFile || scenario.variant === 'returning failed rows';
		const contents = contentsOf(scenario);
		const meetsAll = LONG || REPRESENTATIVE.includes(name);
		const fitting = (meetsAll ? table : typical).filter((row) => concerns(row, contents));
		const faults = meetsAll ? fitting : [fitting[turn % fitting.length]!];

		let sandbox: Sandbox;
		let runs = 0;
		beforeAll(async () => {
			sandbox = await startSandbox({
				...worldOf(scenario),
				rateLimit: { requests: 0 },
				clock: time.clock,
			});
		});
		afterAll(async () => await sandbox.close());

		async function attempt(count: number, settings: NodeRun['settings']) {
			sandbox.requests.length = 0;
			logged.length = 0;
			const items = Array.from({ length: count }, () => {
				const n = runs++;
				return { ...people(sandbox.world, n), ...scenario.make?.(sandbox.world, n) };
			});
			const { resource, operation, parameters } = scenario;
			const outcome = await harness.run(
				{ resource, operation, ...parameters },
				{
					items,
					settings,
					baseUrl: sandbox.baseUrl,
					file: 'phone,name,waId\n12025550143,N,12025550143',
				},
			);
			return { outcome, requests: [...sandbox.requests] };
		}

		/** One run without faults for one item, and one for two: what they send, and how often. */
		async function clean(count: number) {
			sandbox.faults.clear();
			const { outcome, requests } = await attempt(count, {});
			return { outcome, requests };
		}

		function placesIn(requests: ReceivedRequest[]): Place[] {
			const known = new Set<string>();
			return requests.flatMap((request, index): Place[] => {
				const { page, cursor } = request.query;
				// Of many pages or many reads of a job, the second.
				const times = requests.slice(0, index).filter(({ path }) => path === request.path).length;
				const name = `${routeOf(request)}${times > 0 ? ', again' : ''}`;
				if (known.has(name)) return [];
				known.add(name);
				const place = { index, route: routeOf(request), page: page ?? cursor };
				if (isFile(request.path)) return [{ ...place, contents: ['file'] }];
				return [{ ...place, contents: place.page === undefined ? ['json'] : ['json', 'pages'] }];
			});
		}

		/** From this request on, all requests of its route. */
		function strike({ fault, times }: FaultCase, place: Place): void {
			let count = 0;
			const matches = ({ route, query }: FaultyRequest): boolean => {
				const index = count++;
				return (
					index >= place.index &&
					route === place.route &&
					(place.index === 0 || (query.page ?? query.cursor) === place.page)
				);
			};
			sandbox.faults.clear();
			sandbox.faults.add(fault, { matches, times: times ?? Infinity });
		}

		function holds(
			faultCase: FaultCase,
			place: Place,
			count: number,
			{ outcome, requests }: { outcome: Outcome; requests: ReceivedRequest[] },
			undisturbed: ReceivedRequest[],
		): void {
			const expected = faultCase.outcome;
			// One output item per input item; a list returns its rows, or none.
			const pairs = outcome.items.map(
				({ pairedItem }) => [pairedItem].flat() as { item: number }[],
			);
			const from = new Set(pairs.flat().map((pair) => pair.item));
			expect([...from].filter((item) => !(item >= 0 && item < count))).toStrictEqual([]);
			if (!isList && !toItems) expect(from.size).toBe(count);
			// Successful results are returned; the others have an `error`, and none of their rows are returned. A
			// failed row of an import has a column of that name too.
			const failed = outcome.json.filter((json) => Object.keys(json).join() === 'error');
			if (expected === 'notProcessed') expect(failed).toStrictEqual([]);
			if (['rejected', 'uncertain'].includes(expected) && !isTolerated(faultCase, place)) {
				expect(outcome.json).toHaveLength(count);
				expect(failed).toHaveLength(count);
			}
			for (const { error } of failed) {
				expect(error).not.toMatch(RAW);
				expect(error).toMatch(/^.{10,}\. \S+ \w+/s);
			}
			// Nothing is written twice, except requests that were rejected before they took effect.
			const writes = (list: ReceivedRequest[]) => list.filter(({ method }) => method !== 'GET');
			const rejectedEarly = requests.filter(({ status }) => status === 429).length;
			for (const route of new Set(writes(requests).map(routeOf))) {
				const same = (request: ReceivedRequest) => routeOf(request) === route;
				const most = Math.max(
					undisturbed.filter(same).length,
					(scenario.most?.[route] ?? 0) * count,
				);
				expect([route, requests.filter(same).length - rejectedEarly <= most]).toStrictEqual([
					route,
					true,
				]);
			}
			// A list that changes or contradicts itself is read once more; if its counts are wrong, each time with pages
			// beyond its end, as many as are requested at once.
			const again = undisturbed.filter(({ query }) => query.page !== undefined).length;
			const beyond = faultCase.only === 'pages' ? 2 * MAX_LIMIT * count : 0;
			const most = Object.values(scenario.most ?? {}).reduce((sum, each) => sum + each, 0);
			expect(requests.length).toBeLessThanOrEqual(
				Math.max(TRIES[expected] * undisturbed.length + again + beyond + 2 * count, most * count),
			);
			// No token anywhere.
			const everything = JSON.stringify([
				outcome.json,
				outcome.items,
				outcome.hints,
				outcome.error,
				outcome.error?.description,
				outcome.error?.context,
				logged,
			]);
			expect(partsOf(token).filter((part) => everything.includes(part))).toStrictEqual([]);
			expect(({} as Record<string, unknown>).polluted).toBeUndefined();
		}

		/** Whether the operation takes effect even if this request does not. */
		const isTolerated = ({ name }: FaultCase, { route, index }: Place): boolean =>
			((index > 0 || route !== own.endpoint) && scenario.optional?.includes(route) === true) ||
			// A page after the end of a history may not exist.
			(scenario.operation === 'getMessages' && name === '404' && index === 1) ||
			(scenario.operation === 'upsert' &&
				// The second request looks up another form of the number, which a service may reject as such. A 404 whose
				// JSON is cut is still a 404.
				((['404', '409'].includes(name) && index < 2) ||
					(['400', '403', '422', '200 with cut JSON'].includes(name) && index === 1)));

		let one: ReceivedRequest[];
		let two: ReceivedRequest[];
		let undisturbed: Outcome;
		beforeAll(async () => {
			one = (await clean(1)).requests;
			({ outcome: undisturbed, requests: two } = await clean(scenario.oneItem ? 1 : 2));
		});

		test('an undisturbed run returns a result for every item', () => {
			expect(undisturbed.error).toBeUndefined();
			const from = undisturbed.items.flatMap(
				({ pairedItem }) => [pairedItem].flat() as { item: number }[],
			);
			const indexes = new Set(scenario.oneItem ? [0] : [0, 1]);
			if (!toItems) expect(new Set(from.map(({ item }) => item))).toStrictEqual(indexes);
		});

		test('its responses are those that the faults are chosen by', () => {
			const read = placesIn(one).flatMap((place) => place.contents);
			expect(new Set(read)).toStrictEqual(new Set(contents));
		});

		test.each(faults.map((row, index) => [row.name, row, index] as const))(
			'after “%s”, each item has its result, no write is repeated, and no token is shown',
			async (_fault, row, index) => {
				const places = placesIn(one).filter((place) => concerns(row, place.contents));
				expect(places).not.toHaveLength(0);
				const next = (index + turn) % places.length;
				for (const place of LONG ? places : places.slice(next, next + 1)) {
					const count = place.index === 0 && !scenario.oneItem ? 2 : 1;
					strike(row, place);
					const result = await attempt(count, { onError: 'continueRegularOutput' });
					expect(result.outcome.error).toBeUndefined();
					try {
						holds(row, place, count, result, count === 2 ? two : one);
					} catch (error) {
						(error as Error).message +=
							`\n\nat request ${place.index} of a run: ${place.route} ${place.page ?? ''}\n${JSON.stringify(result.outcome.json).slice(0, 600)}\n${result.requests
								.map(
									({ method, path, query, status }) =>
										`${method} ${path} ${JSON.stringify(query)} ${status}`,
								)
								.slice(0, 12)
								.join('\n')}`;
						throw error;
					}
				}
			},
		);
	},
);
