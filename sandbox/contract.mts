import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface PageSize {
	default: number;
	cap: number;
}

/** One route of the contract. */
export interface Route {
	operationId: string;
	/** "GET /tickets/{id}" */
	name: string;
	permission: string;
	/** Whether the route lists 429. */
	limited: boolean;
	pageSize?: PageSize;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface OperationObject {
	operationId: string;
	'x-permission': string;
	'x-page-size'?: PageSize;
	responses: Record<string, unknown>;
}

let contract: Record<string, unknown> | undefined;

/** The contract as a plain object: a copy each time, so that changes do not affect other callers. */
export function readContract(): Record<string, unknown> {
	contract ??= loadContract();
	return structuredClone(contract);
}

function loadContract(): Record<string, unknown> {
	const text = readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8');
	const loaded = parse(text) as Record<string, unknown>;
	checkRecords(loaded);
	return loaded;
}

/** Types of the fields of a record. */
const TYPES = ['array', 'boolean', 'integer', 'object', 'string'];

/**
 * Checks what no linter of OpenAPI knows: that the `x-record` of each route is one of `x-records`, and what those contain.
 *
 * @throws Error that says what is wrong and what to write
 */
export function checkRecords(contract: Record<string, unknown>): void {
	const paths = contract.paths as Record<string, Record<string, { 'x-record'?: string }>>;
	const records = contract['x-records'] as Record<string, RecordSchema>;
	const used = new Set<string>();
	for (const [path, item] of Object.entries(paths)) {
		for (const [method, { 'x-record': name }] of Object.entries(item)) {
			if (name === undefined) continue;
			used.add(name);
			if (!(name in records))
				throw new Error(
					`${method.toUpperCase()} ${path} has the x-record ${name}. x-records has: ${Object.keys(records).join(', ')}. Use one of them, or add it.`,
				);
		}
	}
	for (const [name, record] of Object.entries(records)) {
		const objection = objectionTo(record, used.has(name));
		if (objection) throw new Error(`${name}, of x-records: ${objection}`);
	}
}

interface RecordSchema {
	type?: string;
	properties?: Record<string, { type?: string }>;
}

function objectionTo({ type, properties }: RecordSchema, isUsed: boolean): string | undefined {
	if (!isUsed) return 'no endpoint has it as its x-record. Remove it, or name it there.';
	if (type !== 'object' || !properties) return 'write type: object, with properties.';
	const [field] = Object.entries(properties).filter(([, own]) => !TYPES.includes(own.type ?? ''));
	if (!field) return undefined;
	const [name, own] = field;
	const found = own.type === undefined ? 'no type' : `the type ${own.type}`;
	return `${name} has ${found}. Use one of ${TYPES.join(', ')}.`;
}

/** The routes of a contract, by operationId. */
export function routesOf(contract: Record<string, unknown>): Map<string, Route> {
	const routes = new Map<string, Route>();
	const paths = contract.paths as Record<string, Record<string, OperationObject>>;
	for (const [path, item] of Object.entries(paths)) {
		for (const method of METHODS) {
			const operation = item[method];
			if (!operation) continue;
			routes.set(operation.operationId, {
				operationId: operation.operationId,
				name: `${method.toUpperCase()} ${path}`,
				permission: operation['x-permission'],
				limited: '429' in operation.responses,
				pageSize: operation['x-page-size'],
			});
		}
	}
	return routes;
}
