import type { IBinaryData, IDataObject, IExecuteFunctions, NodeApiError } from 'n8n-workflow';
import { NodeOperationError, WAIT_INDEFINITELY } from 'n8n-workflow';
import type { ServiceClient } from '../api/client';
import { forEachAtServicePace, memoize } from '../api/client';
import { clock } from '../api/clock';
import type { CsvHeader } from '../api/csv';
import { readCsv, readCsvHeader } from '../api/csv';
import { readDownload } from '../api/download';
import type { Endpoint, RequestParams } from '../api/endpoint';
import type { RequestInfo } from '../api/errors';
import { fileError, responseError, unexpectedShapeError } from '../api/errors';
import type { Download, FileContent, Upload } from '../api/files';
import { fileNameIn, openStored } from '../api/files';
import { isPublicUrl } from '../api/publicUrl';
import type { ListRequest, RowLimit } from '../api/pages';
import { readPage, readPages } from '../api/pages';
import type { ServiceResponse } from '../api/response';
import type { ServiceRequest } from '../api/send';
import { send, throwIfStopped } from '../api/send';
import type { PieceReader } from '../api/streams';
import { inPieces } from '../api/streams';
import { textOf } from '../api/text';
import type { Output } from './output';
import { lacksRecord, outputOf } from './output';

/** A request of an operation: to its own endpoint and for its own action, unless it has others. */
export interface OperationRequest extends RequestParams {
	endpoint?: Endpoint;
	/** For messages. */
	action?: string;
	/** Statuses that are not errors for the operation. */
	acceptStatuses?: number[];
	/** The next step for a rejection, if it is another than the operation's. */
	errorHint?: RequestInfo['errorHint'];
}

/**
 * Fails one item of a batch, so that the run goes on for the others.
 *
 * @param position of the item among the inputs of the batch
 * @throws the error, unless the node continues on fail
 */
export type FailItem = (position: number, error: unknown) => void;

/** Where there is only one item, its failure is that of the run. */
const throwFailure: FailItem = (_position, error) => {
	throw error;
};

/** What an operation with several requests can do. */
export class OperationContext {
	/** The operation, as its requests name it. */
	readonly operation: RequestInfo;

	constructor(
		readonly client: ServiceClient,
		{ endpoint, action, errorHint }: RequestInfo,
		readonly failItem = throwFailure,
	) {
		this.operation = { endpoint, action, errorHint };
	}

	/** What n8n offers a node that runs. */
	get n8n(): IExecuteFunctions {
		return this.client.context as IExecuteFunctions;
	}

	/** Identifies the service: the URL that the credential contains. */
	get baseUrl(): string {
		return this.client.baseUrl;
	}

	/** Whether the node continues after items that fail. */
	get continuesOnFail(): boolean {
		return this.n8n.continueOnFail();
	}

	/**
	 * Processes a list with one or a few requests for each entry, as many entries at once as the service carries.
	 *
	 * @param action to be given the context to send them with
	 * @throws what the first action threw, by the list's order
	 */
	async forEach<T>(
		list: readonly T[],
		action: (entry: T, context: OperationContext) => Promise<void>,
	): Promise<void> {
		await forEachAtServicePace(this.client, list, async (entry, client) => {
			await action(entry, new OperationContext(client, this.operation, this.failItem));
		});
	}

	/** Sends a request. @throws NodeApiError unless it succeeds or its status is accepted */
	async send(request: OperationRequest): Promise<ServiceResponse> {
		return await send(this.client, this.requestFor(request));
	}

	/** The response as the operation's output. @throws NodeApiError if a read returned no record */
	outputOf(response: ServiceResponse): Output[] {
		return outputOf(this.withRecord(response), this.operation.endpoint);
	}

	/** The response to a read. @throws NodeApiError if it contains no record */
	withRecord(
		response: ServiceResponse,
		{ endpoint, action }: Pick<RequestInfo, 'endpoint' | 'action'> = this.operation,
	): ServiceResponse {
		if (!lacksRecord(response, endpoint)) return response;
		throw unexpectedShapeError(this.client, { endpoint, action }, 'record');
	}

	/** The same context for requests that must have ended after a time: they wait no longer for the rate limit, or to be repeated. */
	within(ms: number): OperationContext {
		const client = { ...this.client, maxRateLimitWaitMs: Math.max(0, ms) };
		return new OperationContext(client, this.operation, this.failItem);
	}

	/**
	 * Reads a list page by page.
	 *
	 * @param pageSize the endpoint's maximum
	 */
	async readPages(
		request: OperationRequest & Omit<ListRequest, keyof ServiceRequest>,
		pageSize: number,
		rowLimit: RowLimit,
	): Promise<unknown[]> {
		return await readPages(
			this.client,
			{ ...request, ...this.requestFor(request) },
			pageSize,
			rowLimit,
		);
	}

	/**
	 * Reads one page of a list, as the query asks for it.
	 *
	 * @throws NodeApiError if it is rejected, or returns something else than a list
	 */
	async readPage(request: OperationRequest & Pick<ListRequest, 'rowsName'>): Promise<unknown[]> {
		return (await readPage(this.client, { ...request, ...this.requestFor(request) })).rows;
	}

	/** Fetches a file. Read or store it: until then, its download is open. */
	async download(request: OperationRequest): Promise<Download> {
		const download = { ...this.requestFor(request), download: true };
		const { content, headers } = await send(this.client, download);
		if (!content) throw unexpectedShapeError(this.client, download, 'file');
		const type = textOf(headers['content-type']);
		const mimeType = type.split(';')[0]?.trim();
		return {
			content,
			fileName: fileNameIn(headers['content-disposition']),
			mimeType: mimeType || 'text/csv',
			charset: /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1],
		};
	}

	/** Reads a CSV file row by row. The user gets a notice if characters were lost. */
	async readCsv(file: Download): Promise<IDataObject[]> {
		const { rows, isDamaged } = await this.readStream(
			file,
			async (content) => await readCsv(content, file.charset),
		);
		if (isDamaged)
			this.notify(
				`${this.operation.action}: characters that could not be read are shown as �. The file is not in ${file.charset ?? 'UTF-8'}, or already contains them.`,
			);
		return rows;
	}

	/** The header row of a CSV file. */
	async readCsvHeader(file: Download): Promise<CsvHeader> {
		return await this.readStream(
			file,
			async (content) => await readCsvHeader(content, file.charset),
		);
	}

	/** Stores a file in n8n's storage. */
	async store(file: Download): Promise<IBinaryData> {
		const { helpers } = this.n8n;
		return await this.readStream(file, async (content) => {
			const stream = content.streamOf((pieces) => pieces);
			return await helpers.prepareBinaryData(stream, file.fileName, file.mimeType);
		});
	}

	/**
	 * Reads a file of the workflow piece by piece, and closes it.
	 *
	 * @throws NodeApiError if n8n cannot open it or read it to its end
	 * @throws CsvError, and whatever else the reader throws
	 */
	async readFile<T>(
		content: FileContent,
		read: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
	): Promise<T> {
		if ('bytes' in content) return await read(inPieces(content.bytes));
		const { signal } = this.client;
		const source = await openStored(this.n8n.helpers, content.stored).catch((error: unknown) => {
			throw fileError(this.client, this.operation, 'unreadUpload', error);
		});
		const close = () => source.close(new Error('stopped'));
		signal?.addEventListener('abort', close, { once: true });
		return await read(source)
			.catch((error: unknown) => {
				this.throwIfStopped();
				throw source.failure
					? fileError(this.client, this.operation, 'unreadUpload', source.failure)
					: error;
			})
			.finally(() => {
				signal?.removeEventListener('abort', close);
				source.close();
			});
	}

	/** Sends a file with its form fields. */
	async upload(
		upload: Upload,
		request: Pick<OperationRequest, 'endpoint' | 'action'> = {},
	): Promise<ServiceResponse> {
		return await send(this.client, { ...this.requestFor(request), upload });
	}

	/**
	 * Waits, but ends early if the execution is stopped.
	 *
	 * @param ms how long, in milliseconds
	 * @throws NodeOperationError if it was stopped
	 */
	async wait(ms: number): Promise<void> {
		await clock.sleep(ms, this.client.signal);
		this.throwIfStopped();
	}

	/**
	 * Call it in every catch: a stopped execution must not be handled as a failure.
	 *
	 * @throws NodeOperationError if it was stopped
	 */
	throwIfStopped(): void {
		throwIfStopped(this.client);
	}

	/**
	 * A link that continues this execution at this node while it waits.
	 *
	 * @param query its parameters. n8n signs them together with the IDs of the execution and the node.
	 */
	resumeLink(query: Record<string, string>): string {
		const context = this.n8n as IExecuteFunctions & {
			setSignatureValidationRequired?: () => void;
		};
		// Older versions of n8n check the signature only for nodes that ask for it.
		context.setSignatureValidationRequired?.();
		return context.getSignedResumeUrl(query);
	}

	/**
	 * Lets the execution wait after this run, without keeping n8n busy, until its link is called.
	 *
	 * n8n continues with the input of the node if the time is up before that, so `timedOut` becomes its input.
	 *
	 * @param until the latest moment, in milliseconds since the epoch; undefined for none
	 * @param timedOut the item that continues if the time is up; the webhook reads it too
	 */
	async waitForLink(until: number | undefined, timedOut: IDataObject): Promise<void> {
		this.n8n.getExecuteData().data = { main: [[{ json: timedOut }]] };
		await this.n8n.putExecutionToWait(until === undefined ? WAIT_INDEFINITELY : new Date(until));
	}

	/**
	 * A link to a stored file that anybody can open for a limited time.
	 *
	 * @param expiresIn how long, as "1 hour"
	 * @throws NodeOperationError if the service could not open it
	 */
	linkTo(file: IBinaryData, expiresIn: string): string {
		const { helpers } = this.n8n;
		const link = helpers.createBinarySignedUrl(file, expiresIn);
		// A service in the same network as n8n can open its private address.
		if (isPublicUrl(link) || !isPublicUrl(this.client.baseUrl)) return link;
		throw this.invalid(
			`The service cannot download the file from n8n, because ${new URL(link).origin} is not a public address`,
			'Set n8n’s WEBHOOK_URL to its public address, or set Media Source to URL.',
		);
	}

	/** Does something once for all items of the run that have the same token and base URL. */
	async memoize<T>(key: string, make: () => Promise<T>): Promise<T> {
		return await memoize(this.client, key, make);
	}

	/** The error for a response whose status was accepted, but that is a rejection after all. */
	responseError(response: ServiceResponse): NodeApiError {
		return responseError(this.client, this.operation, response);
	}

	/** The error for something that cannot be done, and the next step. */
	invalid(message: string, description: string): NodeOperationError {
		return new NodeOperationError(this.client.context.getNode(), message, { description });
	}

	/** Shows the user a notice. */
	notify(message: string): void {
		this.client.reporter.notify(message);
	}

	/** The next steps of a rejection are only about the operation's own request. */
	private requestFor(request: OperationRequest): ServiceRequest {
		const { endpoint = this.operation.endpoint } = request;
		const errorHint = endpoint === this.operation.endpoint ? this.operation.errorHint : undefined;
		return { ...this.operation, errorHint, ...request };
	}

	private async readStream<T>(
		{ content }: Download,
		read: (content: PieceReader) => Promise<T>,
	): Promise<T> {
		return await readDownload(this.client, this.operation, content, read);
	}
}
