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
	contract ??= parse(readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8')) as Record<
		string,
		unknown
	>;
	return structuredClone(contract);
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
