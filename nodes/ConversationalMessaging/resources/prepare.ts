import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ServiceResponse } from '../api/response';
import { isRecord, payloadOf } from '../api/response';
import { clock } from '../api/clock';
import type { ServiceClient } from '../api/client';
import { memoize } from '../api/client';
import type { Endpoint, RequestParams } from '../api/endpoint';
import { readCsv, readCsvHeader } from '../api/csv';
import { takeDownload } from '../api/download';
import type { Download } from '../api/files';
import { fileNameIn } from '../api/files';
import type { ListRequest, RowLimit } from '../api/pages';
import { readHistory, readPages, readRows } from '../api/pages';
import { responseError, unexpectedShapeError } from '../api/errors';
import { send, throwIfStopped } from '../api/send';
import type { Source } from '../api/streams';
import type { Parameters } from '../parameters/parameters';
import type {
	BatchWork,
	ListOperation,
	LookUp,
	Operation,
	Output,
	OperationContext,
} from './operation';
import { textOf } from '../api/text';

const DEFAULT_PAGE_SIZE = 200;

/** An operation with its parameters read. Only the requests are left. */
export interface PreparedOperation {
	/** Items with the same key run one after another. */
	orderingKey?: string;
	/** Items with the same key run as one batch, with what each of them contributes. */
	batch?: Pick<BatchWork, 'key' | 'input' | 'check'>;
	/** @param inputs what the items of a batch contribute */
	run: (client: ServiceClient, inputs: unknown[]) => Promise<Output[]>;
}

/**
 * Reads the parameters of one item.
 *
 * @throws NodeOperationError for a parameter; nothing has been sent by then
 */
export function prepare(operation: Operation, parameters: Parameters): PreparedOperation {
	const orderingKey = operation.orderingKey?.(parameters);
	if (operation.result === 'steps') return { orderingKey, ...prepareCustom(operation, parameters) };
	const payload = operation.request(parameters);
	if (!('rowsName' in operation)) {
		const request = requestFor(operation, operation.endpoint, payload);
		const { result } = operation;
		return {
			orderingKey,
			run: async (client) => {
				const response = await send(client, request);
				return result === 'deleted' ? [{ json: { deleted: true } }] : outputOf(response);
			},
		};
	}
	const rowLimit = parameters.rowLimit();
	// A list that is the same for several items is read once.
	const key = JSON.stringify([operation.endpoint, payload, rowLimit]);
	const read = async (client: ServiceClient) =>
		(await readList(client, operation, payload, rowLimit)).map(toOutput);
	return { run: async (client) => await memoize(client, key, () => read(client)) };
}

function prepareCustom(
	operation: Operation & { result: 'steps' },
	parameters: Parameters,
): Pick<PreparedOperation, 'batch' | 'run'> {
	const work = operation.prepare(parameters);
	if (typeof work === 'function') {
		return { run: async (client) => await work(operationContext(client, operation)) };
	}
	const { key, input, check, runBatch } = work;
	return {
		batch: { key: `${operation.action} ${key}`, input, check },
		run: async (client, inputs) => await runBatch(operationContext(client, operation), inputs),
	};
}

async function readList(
	client: ServiceClient,
	operation: ListOperation,
	payload: RequestParams,
	rowLimit: RowLimit,
): Promise<unknown[]> {
	const request: ListRequest = {
		...requestFor(operation, operation.endpoint, payload),
		rowsName: operation.rowsName,
	};
	const pageSize = operation.pageSize ?? DEFAULT_PAGE_SIZE;
	if (operation.result === 'pages') return await readPages(client, request, pageSize, rowLimit);
	if (operation.result === 'history') return await readHistory(client, request, pageSize, rowLimit);
	return await readRows(client, request, rowLimit);
}

function requestFor({ action, errorHint }: Operation, endpoint: Endpoint, payload: LookUp) {
	return { endpoint, action, errorHint, ...payload };
}

function operationContext(client: ServiceClient, operation: Operation): OperationContext {
	const take = async <T>({ stream }: Download, how: (content: Source) => Promise<T>): Promise<T> =>
		await takeDownload(client, requestFor(operation, operation.endpoint, {}), stream, how);
	return {
		send: async (endpoint, payload, acceptStatuses) =>
			await send(client, { ...requestFor(operation, endpoint, payload), acceptStatuses }),
		list: async (endpoint, payload, { rowsName, pageSize, rowLimit, onFirstPage }) => {
			const request = { ...requestFor(operation, endpoint, payload), rowsName, onFirstPage };
			return await readPages(client, request, pageSize, rowLimit);
		},
		download: async (endpoint, payload) => {
			const request = { ...requestFor(operation, endpoint, payload), download: true };
			const { stream, headers } = await send(client, request);
			if (!stream) throw unexpectedShapeError(client, request, 'no file');
			const mimeType = textOf(headers['content-type']).split(';')[0]?.trim();
			return {
				stream,
				fileName: fileNameIn(headers['content-disposition']),
				mimeType: mimeType || 'text/csv',
			};
		},
		readCsv: async (file) => (await take(file, readCsv)).rows,
		readCsvColumns: async (file) => await take(file, readCsvHeader),
		store: async (file) => {
			const { helpers } = client.context as IExecuteFunctions;
			return await take(file, async (content) => {
				const stream = content.streamOf((pieces) => pieces);
				return await helpers.prepareBinaryData(stream, file.fileName, file.mimeType);
			});
		},
		upload: async (endpoint, upload) =>
			await send(client, { ...requestFor(operation, endpoint, {}), upload }),
		wait: async (ms) => {
			await clock.sleep(ms, client.signal);
			throwIfStopped(client);
		},
		throwIfStopped: () => throwIfStopped(client),
		memoize: async (key, make) => await memoize(client, key, make),
		refuse: (response) =>
			responseError(client, requestFor(operation, operation.endpoint, {}), response),
		notify: client.notify,
		output: outputOf,
	};
}

/** `data` as returned by the service: a record is one item, a list one item per row. */
export function outputOf({ json }: ServiceResponse): Output[] {
	const payload = payloadOf(json);
	// No data: the rest of the envelope at least shows that the request succeeded.
	if (payload === undefined || payload === null) {
		return [{ json: { success: isRecord(json) ? (json.success ?? true) : true } }];
	}
	// An empty list: every input item must have at least one output item.
	if (Array.isArray(payload) && payload.length > 0) return payload.map(toOutput);
	return [toOutput(payload)];
}

/** n8n's items are objects: anything else is wrapped in one. */
const toOutput = (row: unknown): Output => ({
	json: isRecord(row) ? row : ({ data: row } as IDataObject),
});
