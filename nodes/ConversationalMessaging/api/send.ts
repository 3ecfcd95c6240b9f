import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	NodeApiError,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Answer } from './answer';
import { answerOf, isRecord } from './answer';
import { clock } from './clock';
import type { Connection } from './connection';
import { CREDENTIAL } from './connection';
import type { Payload } from './endpoint';
import { methodOf, urlOf } from './endpoint';
import type { MultipartBody, Upload } from './files';
import { multipartBody } from './files';
import { LONGEST_WAIT_MS } from './gate';
import type { RateInfo } from './rateHeaders';
import { readRateInfo } from './rateHeaders';
import type { Intent } from './refusal';
import { noAnswer, outOfTime, refusal, tooLongToWait, unreadUpload } from './refusal';
import type { Failure } from './retry';
import { backoffMs, errorCode, failureOf, mayRetry } from './retry';
import type { FileStream } from './streams';

/** In milliseconds. A read that takes longer is tried again; a write is given more time, because it is not. */
export const timeouts = { read: 30_000, write: 60_000, file: 600_000 };

/** One call of the service. */
export interface Call extends Intent, Payload {
	/** Statuses that are no refusal to the caller, who looks at the answer's status. */
	expect?: number[];
	/** A file to send in the place of a body. */
	upload?: Upload;
	/** Whether the answer is a file, to be read as a stream. */
	download?: boolean;
}

/** How one try ended. */
type Outcome =
	| { answer: Answer; rate: RateInfo; failure?: Failure }
	| { answer?: undefined; failure: Failure; detail: string };

/**
 * Sends a request to the service: the one way out for both nodes.
 *
 * Waits its turn at the gate, repeats what may be repeated, follows no redirect, and stops at once when the user
 * stops the execution.
 *
 * @returns the answer, with a status of 2xx or one that the call expects
 * @throws NodeApiError a refusal, or no answer; its message and description are for the person
 * @throws NodeOperationError a value that makes no address, or the execution was stopped
 */
export async function send(connection: Connection, call: Call): Promise<Answer> {
	const method = methodOf(call.endpoint);
	for (let tries = 1; ; tries++) {
		const request = requestFor(connection, call);
		const timeLeft = await waitForTurn(connection, call);
		const timeout = Math.min(timeoutOf(call), timeLeft);
		const outcome = await attempt(connection, call, { ...request, timeout });
		throwIfStopped(connection);
		const { failure } = outcome;
		if (!failure && outcome.answer) return accept(connection, call, outcome.answer);
		if (outcome.answer && call.expect?.includes(outcome.answer.status)) return outcome.answer;
		if (!failure || !mayRetry(method, failure, tries)) throw finalError(connection, call, outcome);
		const pause = pauseBefore(failure, tries, outcome);
		if (pause > Math.min(connection.patienceMs, LONGEST_WAIT_MS))
			throw finalError(connection, call, outcome);
		await pauseFor(connection, pause);
	}
}

/** @throws NodeOperationError when a value of the path makes no address */
function requestFor(connection: Connection, call: Call): IHttpRequestOptions {
	const url = urlOf(connection.baseUrl, call.endpoint, call);
	if (url === undefined) {
		throw new NodeOperationError(
			connection.context.getNode(),
			`${call.action} needs the ID of a record`,
			{
				description:
					'The ID is empty, or is a word that the service reserves. Pick a record, or check the expression.',
			},
		);
	}
	const Accept = call.download ? 'text/csv, application/json' : 'application/json';
	return {
		method: methodOf(call.endpoint),
		url,
		// As text: n8n drops an object without keys, and the route then finds no body at all.
		...(call.body && { body: JSON.stringify(call.body) }),
		headers: { Accept, ...(call.body && { 'Content-Type': 'application/json' }) },
		encoding: call.download ? 'stream' : 'text',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal: connection.signal,
	};
}

/** In milliseconds. An export may take long before its first byte. */
function timeoutOf(call: Call): number {
	if (call.upload || call.download) return timeouts.file;
	return methodOf(call.endpoint) === 'GET' ? timeouts.read : timeouts.write;
}

/** A wait of this length, in milliseconds, is told: a person may wonder why nothing happens. */
const TOLD_WAIT_MS = 5_000;

function tellWait({ waiting }: Connection, until: number): void {
	if (until - clock.now() >= TOLD_WAIT_MS) waiting(until);
}

async function pauseFor(connection: Connection, ms: number): Promise<void> {
	if (ms === 0) return;
	tellWait(connection, clock.now() + ms);
	await clock.sleep(ms, connection.signal);
	throwIfStopped(connection);
}

/** Returns how long the request may take, in milliseconds. */
async function waitForTurn(connection: Connection, call: Call): Promise<number> {
	const { gate, patienceMs, signal, until } = connection;
	const started = clock.now();
	const admission = await gate.enter(patienceMs, signal, (opensAt) =>
		tellWait(connection, opensAt),
	);
	if (!admission.admitted) {
		throwIfStopped(connection);
		throw tooLongToWait(connection, call, admission.opensAt - clock.now());
	}
	const waited = clock.now() - started;
	if (waited >= TOLD_WAIT_MS) connection.waited(Math.round(waited / 1000));
	const left = until - clock.now();
	if (left > 0 && !signal?.aborted) return left;
	gate.cancel();
	throwIfStopped(connection);
	throw outOfTime(connection, call);
}

async function attempt(
	connection: Connection,
	call: Call,
	request: IHttpRequestOptions,
): Promise<Outcome> {
	const upload = call.upload && (await openUpload(connection, call, call.upload));
	let answer: Answer | undefined;
	let rate: RateInfo | undefined;
	try {
		const { helpers } = connection.context;
		const full = (await helpers.httpRequestWithAuthentication.call(
			connection.context,
			CREDENTIAL,
			upload ? withUpload(request, upload) : request,
			// Without it, n8n reads the credential again for every request, and resolves its expressions for the first item.
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: connection.credential } },
		)) as IN8nHttpFullResponse;
		answer = await readAnswer(connection, full, call.download);
		rate = readRateInfo(answer.headers, clock.now());
	} catch (error) {
		if (upload?.source?.failure) throw unreadUpload(connection, call, upload.source.failure);
		// The code alone: the whole text may hold the request.
		return { failure: failureOf(error), detail: errorCode(error) ?? '' };
	} finally {
		upload?.source?.close();
		connection.gate.leave(answer?.status === 429, rate);
	}
	return { answer, rate: rate ?? {}, failure: failureIn(answer) };
}

/**
 * Opens the file only now, when the request goes out, so that nothing stays open while it waits. Every try makes its
 * own body: it can be sent once.
 */
async function openUpload(
	connection: Connection,
	call: Call,
	upload: Upload,
): Promise<MultipartBody> {
	try {
		return await multipartBody(connection, upload);
	} catch (error) {
		connection.gate.cancel();
		throw unreadUpload(connection, call, error);
	}
}

function withUpload(
	request: IHttpRequestOptions,
	{ body, headers }: MultipartBody,
): IHttpRequestOptions {
	return {
		...request,
		headers: { ...request.headers, ...headers },
		body: body as unknown as IHttpRequestOptions['body'],
	};
}

/** A file is left in its stream; a refusal, or JSON in the place of a file, is read to its end. */
async function readAnswer(
	connection: Connection,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
	download?: boolean,
): Promise<Answer> {
	if (!download) return answerOf(statusCode, headers, body);
	const stream = body as FileStream;
	const type = String(headers['content-type'] ?? '');
	const isFile = statusCode >= 200 && statusCode < 300 && !/json|html/i.test(type);
	if (isFile) return { ...answerOf(statusCode, headers, ''), stream };
	return answerOf(
		statusCode,
		headers,
		await (connection.context as IExecuteFunctions).helpers.binaryToString(stream),
	);
}

/** What makes an answer a failure; undefined for one that can be handed on. */
function failureIn(answer: Answer): Failure | undefined {
	const ok = answer.status >= 200 && answer.status < 300;
	if (!ok) return { kind: 'status', status: answer.status };
	return answer.json === undefined && answer.text.trim() !== ''
		? { kind: 'unreadable' }
		: undefined;
}

function accept(connection: Connection, call: Call, answer: Answer): Answer {
	// A refusal may come with a status of success (API document, section Response envelope: `success`).
	if (isRecord(answer.json) && answer.json.success === false)
		throw refusal(connection, call, answer);
	return answer;
}

/** Returns how long to wait before the next try, in milliseconds. */
function pauseBefore(failure: Failure, tries: number, outcome: Outcome): number {
	// After a 429 the gate is closed: the next try waits there.
	if (failure.kind === 'status' && failure.status === 429) return 0;
	const retryInMs = outcome.answer ? outcome.rate.retryInMs : undefined;
	return backoffMs(tries, retryInMs, clock.random());
}

function finalError(connection: Connection, call: Call, outcome: Outcome): NodeApiError {
	if (outcome.answer && outcome.failure?.kind !== 'unreadable')
		return refusal(connection, call, outcome.answer);
	const detail = outcome.answer ? contentType(outcome.answer) : outcome.detail;
	return noAnswer(connection, call, outcome.failure ?? { kind: 'lost' }, detail);
}

function contentType({ status, headers }: Answer): string {
	return [status, headers['content-type']].filter(Boolean).join(', ');
}

/** @throws NodeOperationError once the user has stopped the execution */
export function throwIfStopped({ context, signal }: Pick<Connection, 'context' | 'signal'>): void {
	if (signal?.aborted) {
		// n8n takes an error for a stop, not a failure, by the word "canceled" in it.
		throw new NodeOperationError(context.getNode(), 'The execution was canceled');
	}
}
