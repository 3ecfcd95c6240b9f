import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Answer } from '../api/answer';
import { isRecord, payloadOf } from '../api/answer';
import { clock } from '../api/clock';
import type { Connection } from '../api/connection';
import { once } from '../api/connection';
import type { Endpoint, Payload } from '../api/endpoint';
import { readCsv, readCsvHeader } from '../api/csv';
import { takeDownload } from '../api/download';
import type { Download } from '../api/files';
import { fileNameIn } from '../api/files';
import type { ListCall, Wanted } from '../api/pages';
import { readHistory, readPages, readRows } from '../api/pages';
import { refusal, unexpectedShape } from '../api/refusal';
import { send, throwIfStopped } from '../api/send';
import type { Source } from '../api/streams';
import type { Parameters } from '../fields/parameters';
import type { JointWork, ListOperation, LookUp, Operation, Output, Steps } from './operation';

const DEFAULT_PAGE_SIZE = 200;

/** An operation with its parameters read: what is left to do is to talk to the service. */
export interface Job {
	/** Items with the same subject are run one after another. */
	subject?: string;
	/** Items with the same key are run as one, with what each of them brings. */
	joint?: Pick<JointWork, 'key' | 'part' | 'check'>;
	/** @param parts what the items of a joint run bring */
	run: (connection: Connection, parts: unknown[]) => Promise<Output[]>;
}

/**
 * Reads the parameters of one item.
 *
 * @throws NodeOperationError about a parameter; nothing has been sent by then
 */
export function prepare(operation: Operation, parameters: Parameters): Job {
	const subject = operation.subject?.(parameters);
	if (operation.result === 'steps') return { subject, ...prepareSteps(operation, parameters) };
	const payload = operation.request(parameters);
	if (!('rowsName' in operation)) {
		const call = callOf(operation, operation.endpoint, payload);
		const { result } = operation;
		return {
			subject,
			run: async (connection) => {
				const answer = await send(connection, call);
				return result === 'deleted' ? [{ json: { deleted: true } }] : outputOf(answer);
			},
		};
	}
	const wanted = parameters.wanted();
	// A list that is the same for several items is read once.
	const key = JSON.stringify([operation.endpoint, payload, wanted]);
	const read = async (connection: Connection) =>
		(await readList(connection, operation, payload, wanted)).map(toOutput);
	return { run: async (connection) => await once(connection, key, () => read(connection)) };
}

function prepareSteps(
	operation: Operation & { result: 'steps' },
	parameters: Parameters,
): Pick<Job, 'joint' | 'run'> {
	const work = operation.prepare(parameters);
	if (typeof work === 'function') {
		return { run: async (connection) => await work(stepsOf(connection, operation)) };
	}
	const { key, part, check, together } = work;
	return {
		joint: { key: `${operation.action} ${key}`, part, check },
		run: async (connection, parts) => await together(stepsOf(connection, operation), parts),
	};
}

async function readList(
	connection: Connection,
	operation: ListOperation,
	payload: Payload,
	wanted: Wanted,
): Promise<unknown[]> {
	const call: ListCall = {
		...callOf(operation, operation.endpoint, payload),
		rowsName: operation.rowsName,
	};
	const pageSize = operation.pageSize ?? DEFAULT_PAGE_SIZE;
	if (operation.result === 'pages') return await readPages(connection, call, pageSize, wanted);
	if (operation.result === 'history') return await readHistory(connection, call, pageSize, wanted);
	return await readRows(connection, call, wanted);
}

function callOf({ action, advice }: Operation, endpoint: Endpoint, payload: LookUp) {
	return { endpoint, action, advice, ...payload };
}

function stepsOf(connection: Connection, operation: Operation): Steps {
	const take = async <T>({ stream }: Download, how: (content: Source) => Promise<T>): Promise<T> =>
		await takeDownload(connection, callOf(operation, operation.endpoint, {}), stream, how);
	return {
		send: async (endpoint, payload, expect) =>
			await send(connection, { ...callOf(operation, endpoint, payload), expect }),
		list: async (endpoint, payload, { rowsName, pageSize, wanted, seeFirst }) => {
			const call = { ...callOf(operation, endpoint, payload), rowsName, seeFirst };
			return await readPages(connection, call, pageSize, wanted);
		},
		download: async (endpoint, payload) => {
			const call = { ...callOf(operation, endpoint, payload), download: true };
			const { stream, headers } = await send(connection, call);
			if (!stream) throw unexpectedShape(connection, call, 'no file');
			const mimeType = String(headers['content-type'] ?? 'text/csv')
				.split(';')[0]
				?.trim();
			return {
				stream,
				fileName: fileNameIn(headers['content-disposition']),
				mimeType: mimeType || 'text/csv',
			};
		},
		readCsv: async (file) => (await take(file, readCsv)).rows,
		readCsvColumns: async (file) => await take(file, readCsvHeader),
		store: async (file) => {
			const { helpers } = connection.context as IExecuteFunctions;
			return await take(file, async (content) => {
				const stream = content.streamOf((pieces) => pieces);
				return await helpers.prepareBinaryData(stream, file.fileName, file.mimeType);
			});
		},
		upload: async (endpoint, upload) =>
			await send(connection, { ...callOf(operation, endpoint, {}), upload }),
		wait: async (ms) => {
			await clock.sleep(ms, connection.signal);
			throwIfStopped(connection);
		},
		throwIfStopped: () => throwIfStopped(connection),
		once: async (key, make) => await once(connection, key, make),
		refuse: (answer) => refusal(connection, callOf(operation, operation.endpoint, {}), answer),
		notify: connection.notify,
		output: outputOf,
	};
}

/** `data` as the service gave it: a record is one item, a list one item per row. */
export function outputOf({ json }: Answer): Output[] {
	const payload = payloadOf(json);
	// Nothing in data: what is left of the envelope says at least that it was done.
	if (payload === undefined || payload === null) {
		return [{ json: { success: isRecord(json) ? (json.success ?? true) : true } }];
	}
	// An empty list: an item that goes in never comes out as none.
	if (Array.isArray(payload) && payload.length > 0) return payload.map(toOutput);
	return [toOutput(payload)];
}

/** n8n's items are objects: anything else is put into one. */
const toOutput = (row: unknown): Output => ({
	json: isRecord(row) ? row : ({ data: row } as IDataObject),
});
