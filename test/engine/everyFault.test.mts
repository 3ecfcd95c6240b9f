import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import * as core from 'n8n-core';
import { LoggerProxy, type IDataObject } from 'n8n-workflow';
import { MAX_LIMIT } from '../../nodes/ConversationalMessaging/api/rate/rateLimiter.ts';
import {
	returnsRecords,
	type Operation,
} from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { FaultyRequest } from '../../sandbox/faults.mts';
import type { ReceivedRequest } from '../../sandbox/server.mts';
import type { FieldSchema } from '../../tools/scripts/outputSchemas.mts';
import type { NodeRun, Outcome } from './harness.mts';
import { EXPECTED, faultTable, type FaultCase, type FaultGroup } from './faultTable.mts';
import { operations } from '../support/operationList.mts';
import { RAW } from './rawExceptions.mts';
import { nameOf, scenarios, worldOf, type Scenario } from '../fixtures/index.mts';
import { people } from '../fixtures/world.mts';
import { captureLog, CONTINUE, SharedHarness } from './sharedHarness.mts';

/**
 * Every operation, whatever happens to its requests.
 *
 * Each scenario runs once per pair of a request and a fault, which replaces the response. Of many requests of a route,
 * the first and the second count as different, since the second may be a page or a read of a job. With LONG, every fault
 * happens to every request of every scenario.
 */
const LONG = process.env.LONG !== undefined;

/** What every request of every scenario meets: the fault that shows most about it. */
const usualFault = ({ isFile, index, method }: Place): string => {
	if (isFile) return 'a connection cut in the middle of a file';
	if (method !== 'GET') return 'a connection reset after the work';
	return index > 0 ? '400' : '200 with an empty list as data';
};

const ALL: FaultGroup[] = ['rejection', 'connection', 'body'];

/** Who meets more: one request of each kind, since those of a kind read their responses with the same code. */
const MORE: [scenario: string, request: string, groups: FaultGroup[]][] = [
	['ticket: get', 'GET /tickets/{id}', ALL],
	['ticket: create', 'POST /tickets', ALL],
	['segment: addContacts', 'PUT /segments/{id}/members', ALL],
	// Reads the statuses itself.
	['contact: upsert, who is known', 'PATCH /contacts/{id}', ALL],
	['contact: upsert, who is new, with details', 'GET /contacts/{id}', ['rejection']],
	['contact: export', 'GET /contacts/export', ['rejection', 'connection', 'file']],
	['contactImport: start', 'POST /contacts/import', ['connection']],
	['contactField: delete', 'DELETE /contacts/{id}/fields/{fieldId}', ['body']],
	['user: getAll', 'GET /users', ['body']],
	['ticket: getAll', 'GET /tickets', ['body', 'pages']],
	['ticket: getAll', 'GET /tickets, again', ['connection', 'pages']],
	['chat: getMessages', 'GET /chats/{id}/messages', ['body', 'pages']],
	['chat: getMessages', 'GET /chats/{id}/messages, again', ['body', 'pages']],
];

/** A request of a scenario. */
interface Place {
	/** "GET /tickets, again" */
	name: string;
	/** Its number in the run. */
	index: number;
	route: string;
	method: string;
	page?: string;
	isFile: boolean;
}

/** How a run with a fault ended. */
interface Result {
	place: Place;
	row: FaultCase;
	/** The number of items. */
	count: number;
	outcome: Outcome;
	requests: ReceivedRequest[];
	/** Those of the same run without a fault. */
	undisturbed: ReceivedRequest[];
	log: unknown[];
}

/** Everything that was written to n8n's log. */
const logged: unknown[] = [];

/** Any eight characters of a token reveal a part of it, except for the ordinary word at its end. */
const partsOf = (token: string): string[] =>
	Array.from({ length: token.indexOf('permissions') - 7 }, (_, index) =>
		token.slice(index, index + 8),
	);

const routeOf = ({ route, method, path }: ReceivedRequest): string => route ?? `${method} ${path}`;

/** Whether a fault can happen to a request. */
const fits = ({ group, only }: FaultCase, { isFile, page }: Place): boolean => {
	if (group === 'pages') return page !== undefined;
	return group === 'file' ? isFile : only === undefined || !isFile;
};

const operationOf = (scenario: Scenario): Operation =>
	operations.find(
		([, resource, { value }]) => resource === scenario.resource && value === scenario.operation,
	)![2];

/** The requests of a run that count as different. */
function placesIn(requests: ReceivedRequest[]): Place[] {
	const found = new Map<string, Place>();
	for (const [index, request] of requests.entries()) {
		const { method, path, query } = request;
		const route = routeOf(request);
		const isAgain = requests.slice(0, index).some((earlier) => earlier.path === path);
		const name = isAgain ? `${route}, again` : route;
		const isFile = /csv-template|import-template|export|\/errors$/.test(path);
		const page = query.page ?? query.cursor;
		if (!found.has(name)) found.set(name, { name, index, route, method, page, isFile });
	}
	return [...found.values()];
}

const service = new SharedHarness(worldOf(scenarios[0]!));
beforeEach(() => {
	const write = (...entry: unknown[]) => void logged.push(entry);
	// n8n's own code writes to the one, nodes write to the other.
	LoggerProxy.init({ debug: write, info: write, warn: write, error: write });
	captureLog(write);
});

const token = 'wa_pk_sandbox_all_permissions';
const table = faultTable(token, () => service.time.expiring());
const met = new Set<string>();

/** The pairs of a scenario with these requests. */
function pairsOf(name: string, places: Place[]): [Place, FaultCase][] {
	return places.flatMap((place) => {
		const groups = MORE.filter(([scenario, own]) => scenario === name && own === place.name);
		for (const pair of groups) met.add(String(pair));
		const usual = usualFault(place);
		const isMet = (row: FaultCase) =>
			LONG || row.name === usual || groups.some(([, , own]) => own.includes(row.group));
		return table
			.filter((row) => fits(row, place) && isMet(row))
			.map((row): [Place, FaultCase] => [place, row]);
	});
}

/** The folder of the built node: n8n looks for output schemas beside it. */
const nodeDir = resolve('dist/nodes/ConversationalMessaging');
/** The fields of each operation that some run has returned. */
const returned = new Map<string, string[]>();

/** As n8n finds it. Older versions of the engine leave that to the editor. */
function schemaOf(resource: string, operation: string): FieldSchema | undefined {
	if (!('loadOutputSchema' in core)) return undefined;
	return core.loadOutputSchema({ nodeDir, version: 1, resource, operation }) as
		| FieldSchema
		| undefined;
}

/** The fields with a value of another type than the schema says. */
const mismatches = (item: IDataObject, { properties = {} }: FieldSchema): string[] =>
	Object.entries(properties).flatMap(([key, { type }]) => {
		const value: unknown = item[key];
		if (value === undefined || value === null) return [];
		const found = Array.isArray(value) ? 'array' : typeof value;
		return found === (type === 'integer' ? 'number' : type) ? [] : [`${key}: ${found}`];
	});

test('every operation has a scenario', () => {
	const covered = new Set(scenarios.map(({ resource, operation }) => `${resource}: ${operation}`));
	expect(operations.map(([name]) => name).filter((name) => !covered.has(name))).toStrictEqual([]);
});

describe.each(scenarios.map((scenario) => [nameOf(scenario), scenario] as const))(
	'%s',
	(name, scenario) => {
		const operationName = `${scenario.resource}: ${scenario.operation}`;
		const kind = operationOf(scenario).result;
		const isList = kind === 'list';
		const toItems =
			scenario.parameters.output === 'items' || scenario.variant === 'returning failed rows';
		const results: Result[] = [];
		let undisturbed: Outcome | undefined;
		let runs = 0;

		// Before the first test: all of them look at the same results.
		beforeEach(async () => {
			if (undisturbed) return;
			service.refill(worldOf(scenario));
			// For one item, and for two: what they send, and how often.
			const one = (await attempt(1)).requests;
			const both = await attempt(scenario.oneItem ? 1 : 2);
			undisturbed = both.outcome;
			for (const [place, row] of pairsOf(name, placesIn(one))) {
				const count = place.index === 0 && !scenario.oneItem ? 2 : 1;
				strike(row, place);
				const { outcome, requests } = await attempt(count, CONTINUE);
				service.sandbox.faults.clear();
				const expected = count === 2 ? both.requests : one;
				const log = [...logged];
				results.push({ place, row, count, outcome, requests, undisturbed: expected, log });
			}
		});

		async function attempt(count: number, settings: NodeRun = {}) {
			const { world, requests } = service;
			requests.length = 0;
			logged.length = 0;
			const items = Array.from({ length: count }, () => {
				const n = runs++;
				return { ...people(world, n), ...scenario.make?.(world, n) };
			});
			const { resource, operation, parameters } = scenario;
			const outcome = await service.run(
				{ resource, operation, ...parameters },
				{
					...settings,
					items,
					file: 'phone,name,waId\n12025550143,N,12025550143',
					// n8n takes the time for each expression, which is slow in other time zones.
					timezone: 'UTC',
				},
			);
			return { outcome, requests: [...requests] };
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
			service.sandbox.faults.add(fault, { matches, times: times ?? Infinity });
		}

		/** What a test does: nothing may be wrong with a result, or it is shown with its fault and its requests. */
		const judging = (wrongWith: (result: Result) => unknown[]) => () => {
			const wrong = results.flatMap((result) => {
				const { row, place, outcome, requests } = result;
				return wrongWith(result).map((what) => ({
					what,
					after: `${row.name}, at ${place.name}`,
					output: JSON.stringify(outcome.json).slice(0, 600),
					requests: requests.map(({ method, path, status }) => `${method} ${path} ${status}`),
				}));
			});
			expect(wrong).toStrictEqual([]);
		};

		/** Whether the operation takes effect, or may, even if this request does not. */
		const isTolerated = ({ place, row }: Result): boolean =>
			scenario.tolerates?.[place.name]?.includes(row.name) === true ||
			((place.index > 0 || place.route !== operationOf(scenario).endpoint) &&
				scenario.optional?.includes(place.route) === true);

		const itemsOf = ({ items }: Outcome) =>
			new Set(
				items
					.flatMap(({ pairedItem }) => [pairedItem].flat() as { item: number }[])
					.map(({ item }) => item),
			);
		/** The items of errors. A failed row of an import has a column of that name too. */
		const failedIn = ({ json }: Outcome) =>
			json.filter((item) => Object.keys(item).join() === 'error');

		test('without a fault, every item has a result', () => {
			expect(undisturbed!.error).toBeUndefined();
			if (!toItems)
				expect(itemsOf(undisturbed!)).toStrictEqual(new Set(scenario.oneItem ? [0] : [0, 1]));
		});

		const schema = schemaOf(scenario.resource, scenario.operation);
		// A question returns what was responded, which only its own tests have.
		if (schema && scenario.operation !== 'sendAndWait')
			test('without a fault, what it returns fits its output schema', () => {
				const known = returned.get(operationName) ?? [];
				returned.set(operationName, [...known, ...undisturbed!.json.flatMap(Object.keys)]);
				expect(undisturbed!.json.flatMap((item) => mismatches(item, schema))).toStrictEqual([]);
			});

		test(
			'with a fault, every item has its result, and the run goes on',
			judging(({ outcome, count }) => {
				if (outcome.error) return [outcome.error];
				const from = itemsOf(outcome);
				const others = [...from].filter((item) => !(item >= 0 && item < count));
				const isWhole = isList || toItems || from.size === count;
				return isWhole ? others : [...others, `${from.size} of ${count} items have a result`];
			}),
		);

		test(
			'an item fails if its request is rejected or may not have taken effect, with what to do',
			judging((result) => {
				const { outcome, count, row } = result;
				const failed = failedIn(outcome);
				const expected = isTolerated(result) ? 'any' : EXPECTED[row.outcome].items;
				const allFailed = outcome.json.length === count && failed.length === count;
				if (expected === 'succeed' && failed.length > 0) return failed;
				if (expected === 'fail' && !allFailed) return [`${failed.length} of ${count} items fail`];
				const texts = failed.map(({ error }) => error as string);
				return texts.filter((text) => RAW.test(text) || !/^.{10,}\. \S+ \w+/s.test(text));
			}),
		);

		test(
			'no write is repeated that may have taken effect',
			judging(({ requests, undisturbed: before, count }) => {
				const early = requests.filter(({ status }) => status === 429).length;
				const writes = requests.filter(({ method }) => method !== 'GET').map(routeOf);
				return [...new Set(writes)].filter((route) => {
					const usual = before.filter((request) => routeOf(request) === route).length;
					const most = Math.max(usual, (scenario.most?.[route] ?? 0) * count);
					return writes.filter((other) => other === route).length - early > most;
				});
			}),
		);

		test(
			'a fault costs few requests',
			judging(({ requests, undisturbed: before, count, row }) => {
				// A list that changes or contradicts itself is read once more; if its counts are wrong, each time with pages
				// beyond its end, as many as are requested at once.
				const again = before.filter(({ query }) => query.page !== undefined).length;
				const beyond = row.group === 'pages' ? 2 * MAX_LIMIT * count : 0;
				const most = Object.values(scenario.most ?? {}).reduce((sum, each) => sum + each, 0);
				const tries = EXPECTED[row.outcome].reads * before.length + again + beyond + 2 * count;
				const limit = Math.max(tries, most * count);
				return requests.length > limit ? [`${requests.length} requests, not ${limit}`] : [];
			}),
		);

		test(
			'no part of the token is shown or logged',
			judging(({ outcome, log }) => {
				const { json, items, hints, error } = outcome;
				const shown = [json, items, hints, error, error?.description, error?.context, log];
				const everything = JSON.stringify(shown);
				return partsOf(token).filter((part) => everything.includes(part));
			}),
		);
	},
);

// Last: every scenario has run.
test('every request that meets more is one of its scenario', () => {
	expect(MORE.map(String).filter((pair) => !met.has(pair))).toStrictEqual([]);
});

// Older versions of n8n do not load output schemas.
const describeSchemas = 'loadOutputSchema' in core ? describe : describe.skip;

describeSchemas('output schemas', () => {
	/** The service's document names no field of their responses. */
	const WITHOUT = [
		...['flow: trigger', 'organization: get', 'template: sync'],
		...['end', 'get', 'start', 'takeOver'].map((operation) => `session: ${operation}`),
	];
	/** They return a file, or items whose keys are the columns of one. */
	const FILES = [
		...['broadcast: downloadCsvTemplate', 'contact: export'],
		...['contactImport: downloadTemplate', 'contactImport: getFailedRows'],
	];
	/** Only rarely there: see the tests of the operation. */
	const RARE = [
		'broadcast: preview: firstRow',
		'broadcast: preview: message',
		'contact: sync: reason',
		'contact: sync: segmentReason',
	];

	test('every operation has one, unless nothing is known of its fields, and nothing else', () => {
		const missing = operations.filter(([, resource, { value }]) => !schemaOf(resource, value));
		expect(missing.map(([name]) => name).sort()).toStrictEqual([...FILES, ...WITHOUT].sort());
		expect(missing.filter(([, , operation]) => returnsRecords(operation))).toHaveLength(
			WITHOUT.length,
		);
		const folder = resolve(nodeDir, '__schema__/v1.0.0');
		const built = readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.json'))
			.map((name) => name.replace(/[/\\]/, ': ').replace('.json', ''));
		expect(built).toHaveLength(operations.length - missing.length);
	});

	test('no schema has a field that no run has returned', () => {
		const unseen = [...returned].flatMap(([name, known]) => {
			const [resource = '', operation = ''] = name.split(': ');
			return Object.keys(schemaOf(resource, operation)?.properties ?? {})
				.filter((key) => !known.includes(key))
				.map((key) => `${name}: ${key}`);
		});
		expect(unseen).toStrictEqual(RARE);
	});
});

test('no response has changed the prototype of all objects', () => {
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
