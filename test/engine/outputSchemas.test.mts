import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import * as core from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { returnsRecords } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import type { FieldSchema } from '../../tools/scripts/outputSchemas.mts';
import { operations } from '../support/operationList.mts';
import { scenarios, worldOf } from '../fixtures/index.mts';
import { people } from '../fixtures/world.mts';
import { SharedHarness } from './sharedHarness.mts';

const service = new SharedHarness(worldOf(scenarios[0]!));

/** The folder of the built node: n8n looks for output schemas beside it. */
const nodeDir = resolve('dist/nodes/ConversationalMessaging');

/** As n8n finds it. Older versions of the engine leave that to the editor. */
const find = (resource: string, operation: string): FieldSchema | undefined =>
	core.loadOutputSchema({ nodeDir, version: 1, resource, operation }) as FieldSchema | undefined;

/** The service's document names no field of their responses. */
const WITHOUT = [
	'flow: trigger',
	'organization: get',
	'session: end',
	'session: get',
	'session: start',
	'session: takeOver',
	'template: sync',
];

/** They return a file, or items whose keys are the columns of one. */
const FILES = [
	'broadcast: downloadCsvTemplate',
	'contact: export',
	'contactImport: downloadTemplate',
	'contactImport: getFailedRows',
];

// Older versions of n8n do not load output schemas.
const testIf = 'loadOutputSchema' in core ? test : test.skip;

testIf('every operation has an output schema, unless nothing is known of its fields', () => {
	const missing = operations.filter(
		([, resource, { value }]) => find(resource, value) === undefined,
	);
	expect(missing.map(([name]) => name)).toStrictEqual([...FILES, ...WITHOUT].sort());
	expect(missing.filter(([, , operation]) => returnsRecords(operation))).toHaveLength(
		WITHOUT.length,
	);
});

test('no schema is left of an operation that does not exist', () => {
	const folder = resolve(nodeDir, '__schema__/v1.0.0');
	expect(existsSync(folder)).toBe(true);
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.json'))
		.map((name) => name.replace('/', ': ').replace('.json', ''));
	expect(names.filter((name) => !operations.some(([own]) => own === name))).toStrictEqual([]);
});

testIf(
	'what the operations return fits their schemas, and no schema has another field',
	async () => {
		const { world } = service;
		/** The fields of each operation that some run has returned. */
		const seen = new Map<string, Set<string>>();
		for (const [n, { resource, operation, parameters, make }] of scenarios.entries()) {
			const schema = find(resource, operation);
			// It returns what was responded, which only its own tests have.
			if (!schema || operation === 'sendAndWait') continue;
			const { json, error } = await service.run(
				{ resource, operation, ...parameters },
				{
					items: [{ ...people(world, n), ...make?.(world, n) }],
					file: 'phone,name,waId\n12025550143,N,12345678',
				},
			);
			const name = `${resource}: ${operation}`;
			const wrong = json.flatMap((item) => mismatches(item, schema));
			expect([name, error?.message, wrong]).toStrictEqual([name, undefined, []]);
			seen.set(name, new Set([...(seen.get(name) ?? []), ...json.flatMap(Object.keys)]));
		}
		const unseen = [...seen].flatMap(([name, known]) => {
			const [resource = '', operation = ''] = name.split(': ');
			return Object.keys(find(resource, operation)?.properties ?? {})
				.filter((key) => !known.has(key))
				.map((key) => `${name}: ${key}`);
		});
		expect(unseen).toStrictEqual(NOT_IN_SCENARIOS);
	},
);

/** Only rarely there: see the tests of the operation. */
const NOT_IN_SCENARIOS = [
	'broadcast: preview: message',
	'contact: sync: reason',
	'contact: sync: segmentReason',
];

/** The fields with a value of another type than the schema says. */
function mismatches(item: IDataObject, { properties = {} }: FieldSchema): string[] {
	return Object.entries(properties).flatMap(([key, { type }]) => {
		const value: unknown = item[key];
		if (value === undefined || value === null) return [];
		const found = Array.isArray(value) ? 'array' : typeof value;
		return found === (type === 'integer' ? 'number' : type) ? [] : [`${key}: ${found}`];
	});
}
