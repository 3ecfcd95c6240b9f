import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../api/answer';
import { isRecord, payloadOf } from '../api/answer';
import type { Connection } from '../api/connection';
import type { Payload } from '../api/endpoint';
import type { ListCall, Wanted } from '../api/pages';
import { readHistory, readPages, readRows } from '../api/pages';
import { send } from '../api/send';
import type { Parameters } from '../fields/parameters';
import type { ListOperation, Operation, Steps } from './operation';

const DEFAULT_PAGE_SIZE = 200;

/** An operation with its parameters read: what is left to do is to talk to the service. */
export interface Job {
	/** Items with the same subject are run one after another. */
	subject?: string;
	/** Items with the same sameAs are asked for once. */
	sameAs?: string;
	run: (connection: Connection) => Promise<IDataObject[]>;
}

/**
 * Reads the parameters of one item.
 *
 * @throws NodeOperationError about a parameter; nothing has been sent by then
 */
export function prepare(operation: Operation, parameters: Parameters): Job {
	const subject = operation.subject?.(parameters);
	if (operation.result === 'steps') {
		const steps = operation.prepare(parameters);
		return {
			subject,
			run: async (connection) => toRows(await steps(stepsOf(connection, operation))),
		};
	}
	const payload = operation.request(parameters);
	if (operation.result === 'record') {
		return {
			subject,
			run: async (connection) => outputOf(await send(connection, callOf(operation, payload))),
		};
	}
	const wanted = parameters.wanted();
	return {
		sameAs: JSON.stringify([operation.endpoint, payload, wanted]),
		run: async (connection) => (await readList(connection, operation, payload, wanted)).map(toItem),
	};
}

async function readList(
	connection: Connection,
	operation: ListOperation,
	payload: Payload,
	wanted: Wanted,
): Promise<unknown[]> {
	const call: ListCall = { ...callOf(operation, payload), rowsName: operation.rowsName };
	const pageSize = operation.pageSize ?? DEFAULT_PAGE_SIZE;
	if (operation.result === 'pages') return await readPages(connection, call, pageSize, wanted);
	if (operation.result === 'history') return await readHistory(connection, call, pageSize, wanted);
	return await readRows(connection, call, wanted);
}

function callOf({ endpoint, action, permission, advice }: Operation, payload: Payload) {
	return { endpoint, action, permission, advice, ...payload };
}

function stepsOf(connection: Connection, operation: Operation): Steps {
	return {
		send: async (endpoint, payload, expect) =>
			await send(connection, { ...callOf(operation, payload), endpoint, expect }),
		output: outputOf,
	};
}

/** `data` as the service gave it: a record is one item, a list one item per row. */
export function outputOf({ json }: Answer): IDataObject[] {
	const payload = payloadOf(json);
	// Nothing in data: what is left of the envelope says at least that it was done.
	if (payload === undefined || payload === null)
		return [isRecord(json) ? { success: json.success ?? true } : { success: true }];
	return Array.isArray(payload) ? payload.map(toItem) : [toItem(payload)];
}

const toRows = (output: IDataObject | IDataObject[]): IDataObject[] =>
	Array.isArray(output) ? output : [output];

/** n8n's items are objects: anything else is put into one. */
const toItem = (row: unknown): IDataObject =>
	isRecord(row) ? row : ({ data: row } as IDataObject);
