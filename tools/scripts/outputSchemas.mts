import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import {
	returnsRecords,
	type Operation,
} from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { readContract } from '../../sandbox/contract.mts';

/** The part of JSON Schema that n8n's editor shows. */
export interface FieldSchema {
	type: 'array' | 'boolean' | 'integer' | 'object' | 'string';
	description?: string;
	properties?: Record<string, FieldSchema>;
	items?: FieldSchema;
}

/** The fields of the items that an operation returns. */
interface OutputSchema {
	/** "message" */
	resource: string;
	/** "send" */
	operation: string;
	schema: FieldSchema;
}

const text: FieldSchema = { type: 'string' };
const texts: FieldSchema = { type: 'array', items: text };
const flag: FieldSchema = { type: 'boolean' };
const object = (properties: Record<string, FieldSchema>): FieldSchema => ({
	type: 'object',
	properties,
});

/** The output of operations that return something else than records of the service: the node makes it. */
const OWN: Readonly<Record<string, FieldSchema>> = {
	'broadcast: preview': object({
		ready: flag,
		recipients: { type: 'integer' },
		template: object({ name: text, language: text, category: text, status: text }),
		start: object({ text, at: text }),
		firstRow: object({}),
		firstMessage: text,
		message: text,
		notes: texts,
	}),
	'contact: sync': object({
		result: text,
		key: text,
		reason: text,
		contactId: text,
		changes: { type: 'array', items: object({}) },
		segmentReason: text,
	}),
	'message: sendAndWait': object({ timedOut: flag, data: object({ respondedAt: text }) }),
};

/** What the node adds to a record of the service, by its name in the contract. */
const ADDED: Readonly<Record<string, Record<string, FieldSchema>>> = {
	Contact: {
		customFieldValues: {
			...object({}),
			description: 'The values of its custom fields by their labels',
		},
	},
};

/**
 * The output schema of each operation that has one. n8n shows their fields in the editor, to be dragged before anything
 * ran, and to whoever builds workflows through its MCP server. They only contain fields that the contract knows, or that the
 * node adds: a field that is shown and never filled is worse than one that is not shown.
 */
export function outputSchemas(): OutputSchema[] {
	const records = recordsByEndpoint();
	return resources.flatMap(({ value: resource, operations }) =>
		operations.flatMap((operation) => {
			const schema = schemaOf(resource, operation, records);
			return schema ? [{ resource, operation: operation.value, schema }] : [];
		}),
	);
}

function schemaOf(
	resource: string,
	operation: Operation,
	records: ReadonlyMap<string, FieldSchema>,
): FieldSchema | undefined {
	const own = OWN[`${resource}: ${operation.value}`];
	if (own) return own;
	if (operation.result === 'deleted') return object({ deleted: flag });
	return returnsRecords(operation) ? records.get(operation.endpoint) : undefined;
}

/** The records of the contract, by the endpoint that returns them. */
function recordsByEndpoint(): Map<string, FieldSchema> {
	const contract = readContract() as unknown as {
		paths: Record<string, Record<string, { 'x-record'?: string }>>;
		'x-records': Record<string, FieldSchema>;
	};
	const found = new Map<string, FieldSchema>();
	for (const [path, item] of Object.entries(contract.paths)) {
		for (const [method, { 'x-record': name }] of Object.entries(item)) {
			const record = name === undefined ? undefined : contract['x-records'][name];
			if (!record) continue;
			const properties = { ...record.properties, ...ADDED[name as string] };
			found.set(`${method.toUpperCase()} ${path}`, { ...record, properties });
		}
	}
	return found;
}
