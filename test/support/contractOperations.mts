import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The contract as tests read it: without the sandbox's own reader, so that a fault in that one shows. */

export interface Schema {
	type?: string | string[];
	enum?: string[];
	default?: string | number;
	pattern?: string;
	format?: string;
	minimum?: number;
	maximum?: number;
	minItems?: number;
	items?: Schema;
	required?: string[];
	properties?: Record<string, Schema>;
}

interface Parameter {
	name: string;
	in: 'query' | 'path' | 'header';
	required?: boolean;
	schema: Schema;
}

interface OperationObject {
	operationId: string;
	parameters?: Parameter[];
	requestBody?: { content: Record<string, { schema: Schema }> };
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
	'x-permission': string;
	'x-page-size'?: { default: number; cap: number };
	'x-record'?: string;
}

export interface Operation {
	id: string;
	/** "GET /tickets/{id}" */
	route: string;
	method: string;
	path: string;
	permission: string;
	/** As text, because that is how the contract has them. */
	statuses: string[];
	query: Record<string, Schema & { isRequired: boolean }>;
	/** What a request may contain: "path id", "query status", "header if-match", "body title". */
	names: string[];
	/** The body as JSON. */
	body?: Schema;
	acceptsUpload: boolean;
	acceptsBody: boolean;
	pageSize?: { default: number; cap: number };
	/** The body of a success by its media type: of exactly one. */
	success: { type: string; schema: Schema };
	isList: boolean;
	/** What the contract says about the record, or the rows, in a success. */
	record?: Schema;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const contract = parse(
	readFileSync(new URL('../../sandbox/openapi.yaml', import.meta.url), 'utf8'),
) as {
	paths: Record<string, Record<string, OperationObject> & { parameters?: Parameter[] }>;
	'x-records': Record<string, Schema>;
};

/** The same without references: what is beside a reference is added to what it names. */
function resolved<T>(value: T): T {
	if (Array.isArray(value)) return value.map(resolved) as T;
	if (typeof value !== 'object' || value === null) return value;
	const { $ref: reference, ...rest } = value as Record<string, unknown>;
	const entries = Object.entries(rest).map(([name, inner]) => [name, resolved(inner)]);
	const named = typeof reference === 'string' ? resolved(atPointer(reference)) : {};
	return { ...(named as object), ...Object.fromEntries(entries) } as T;
}

const atPointer = (pointer: string): unknown =>
	pointer
		.slice('#/'.length)
		.split('/')
		.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], contract);

function operation(path: string, method: string): Operation {
	const item = contract.paths[path]!;
	const own = resolved(item[method]!);
	const parameters = [...resolved(item.parameters ?? []), ...(own.parameters ?? [])];
	const query = parameters
		.filter((parameter) => parameter.in === 'query')
		.map(({ name, schema, required }) => [name, { ...schema, isRequired: required === true }]);
	const content = own.requestBody?.content ?? {};
	const body = content['application/json']?.schema;
	const [type, { schema }] = Object.entries(own.responses['200']!.content!)[0]!;
	return {
		id: own.operationId,
		route: `${method.toUpperCase()} ${path}`,
		method,
		path,
		permission: own['x-permission'],
		statuses: Object.keys(own.responses),
		query: Object.fromEntries(query) as Operation['query'],
		names: [
			...parameters.map(({ in: place, name }) => `${place} ${name}`),
			...Object.keys(body?.properties ?? {}).map((name) => `body ${name}`),
		],
		body,
		acceptsUpload: 'multipart/form-data' in content,
		acceptsBody: own.requestBody !== undefined,
		pageSize: own['x-page-size'],
		success: { type, schema },
		isList: schema.required?.includes('meta') ?? false,
		record: own['x-record'] === undefined ? undefined : contract['x-records'][own['x-record']],
	};
}

export const operations: Operation[] = Object.entries(contract.paths).flatMap(([path, item]) =>
	METHODS.filter((method) => method in item).map((method) => operation(path, method)),
);
