import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Endpoint } from '../api/endpoint';
import { uncertain } from '../api/errors';
import { isSuccess, progressOf } from '../api/progress';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import type { ServiceResponse } from '../api/response';
import type { JobWait } from '../descriptions/wait';
import { countOf, withoutUndefined } from '../parameters/values';
import type { OperationContext } from './operationContext';
import type { Output, Sent } from './output';
import { outputOf, withOwn, withRecord } from './output';
import { poll } from './poll';

/** A kind of job that the service runs in the background. */
export interface BackgroundJob {
	/** For messages: "broadcast". */
	noun: string;
	/** Reads one. */
	endpoint: Endpoint;
	/** How many of its rows failed, as far as its record shows that. */
	failedRows?: (record: IDataObject) => number;
}

/** How a wait ended. */
export interface WaitOutcome {
	/** The job in its last known state, with `waitResult` and, if it is known, `succeeded`. */
	outputs: Output[];
	/** Whether the job is known to have ended, successfully or not. */
	ended: boolean;
	/** Undefined if the service did not return one. */
	id?: string;
}

/** What is added to a job after waiting for it. */
interface WaitResult extends IDataObject {
	ended: boolean;
	/** As the service spells it; missing if it returns none. */
	status?: string;
	/** Why the end is unknown. */
	reason?: string;
}

/** Whether this run created the job. */
type Origin = 'created' | 'found';

/** A job as it was read once. */
interface JobState {
	response: ServiceResponse;
	status?: string;
	ended: boolean;
	/** Whether all of it succeeded; undefined if that is unknown. */
	succeeded?: boolean;
	failedRows: number;
}

/** A job that was read, and whose end is waited for. */
export interface FoundJob {
	job: BackgroundJob;
	id: string;
	wait: JobWait;
	/** Undefined if it could not be read yet. */
	first?: JobState;
}

/**
 * Reads a job as it is now. If it has not ended, `waitForFound` reads it again.
 *
 * @param wait undefined for none
 * @throws NodeApiError if the service rejects the request, for example because of a wrong ID; without a wait, also if it
 *   fails
 * @throws NodeOperationError if success is required, and is not certain
 */
export async function readJob(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	wait: JobWait | undefined,
): Promise<Sent<FoundJob>> {
	const first = await readFirst(context, job, id, wait !== undefined);
	const outputs = first ? outputOf(first.response, job.endpoint) : [];
	if (wait === undefined) return { outputs };
	if (first?.ended) return { outputs: finished(context, job, first, id, wait, 'found').outputs };
	return { outputs, pending: { job, id, wait, first } };
}

/**
 * Waits until a job has ended that was read before.
 *
 * @throws NodeApiError if it was never read
 * @throws NodeOperationError if success is required, and is not certain
 */
export async function waitForFound(
	context: OperationContext,
	{ job, id, wait, first }: FoundJob,
): Promise<Output[]> {
	return (await follow(context, job, id, wait, first, 'found')).outputs;
}

/** @returns undefined if it failed without being rejected, and the wait reads it again */
async function readFirst(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	waits: boolean,
): Promise<JobState | undefined> {
	const read = async () => {
		const response = await context.send({ path: { id } });
		return stateIn(job, withRecord(context.client, context.operation, response));
	};
	return await read().catch((error: unknown) => {
		context.throwIfStopped();
		const status = Number((error as Partial<NodeApiError>).httpCode ?? 0);
		const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
		if (waits && error instanceof NodeApiError && !isRejected) return undefined;
		throw error;
	});
}

/**
 * Waits until a newly created job has ended. Throws nothing, except if the execution was stopped, or success is required
 * and not certain: a job must not be created again because its progress could not be tracked.
 *
 * @param created the response to its creation
 * @throws NodeOperationError
 */
export async function waitForCreated(
	context: OperationContext,
	job: BackgroundJob,
	created: ServiceResponse,
	wait: JobWait,
): Promise<WaitOutcome> {
	const { id, status } = recordOf(created.json, recordNames(job.endpoint));
	if (id !== undefined)
		return await follow(context, job, id, wait, stateIn(job, created), 'created');
	const reason = `The service accepted the ${job.noun}, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many`;
	return unfinished(context, job, created, { ended: false, status, reason }, wait);
}

/**
 * Reads a job until it has ended, or the time has run out. By polling, because the service has no events (API
 * document, section Events).
 *
 * @param first the job as it is known
 * @throws NodeApiError if it was never read
 */
async function follow(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	wait: JobWait,
	first: JobState | undefined,
	origin: Origin,
): Promise<WaitOutcome> {
	const { maxMs } = wait;
	const lookUp = { endpoint: job.endpoint, path: { id }, action: `Get ${job.noun}` };
	let last = first;
	const { value, lastError } = await poll(context, maxMs, async (pollContext) => {
		const response = await pollContext.send(lookUp);
		last = stateIn(job, withRecord(pollContext.client, lookUp, response));
		return last.ended ? last : undefined;
	});
	if (value) return finished(context, job, value, id, wait, origin);
	if (!last) throw lastError as NodeApiError;
	const { status, response } = last;
	const reason = lastError
		? unreadText(job, id, maxMs, lastError, origin)
		: unfinishedText(job, maxMs, status);
	return { ...unfinished(context, job, response, { ended: false, status, reason }, wait), id };
}

function stateIn(job: BackgroundJob, response: ServiceResponse): JobState {
	const { record, status } = recordOf(response.json, recordNames(job.endpoint));
	const ended = status !== undefined && progressOf(status) === 'ended';
	const failedRows = job.failedRows?.(record) ?? 0;
	const succeeded = ended && (failedRows > 0 ? false : isSuccess(status));
	return { response, status, ended, succeeded: ended ? succeeded : undefined, failedRows };
}

function unreadText(
	{ noun }: BackgroundJob,
	id: string,
	maxMs: number,
	{ message }: NodeApiError,
	origin: Origin,
): string {
	// The next step of the rejection may be to run it again, which would create another job.
	const next =
		origin === 'created' ? 'Do not repeat it; check it later with Get' : 'Check it later with Get';
	return `The ${noun} ${id} was ${origin}, but could not be read at the end of the wait of ${minutes(maxMs)}: ${message}. ${next}`;
}

function unfinishedText({ noun }: BackgroundJob, maxMs: number, status?: string): string {
	if (status !== undefined && progressOf(status) === 'running')
		return `The ${noun} did not finish within ${minutes(maxMs)}; its status is still ${status}. It continues in the service. Check it later with Get, or follow it with the trigger`;
	const shown =
		status === undefined ? 'the service returns no status' : `the status ${status} is unknown`;
	return `After ${minutes(maxMs)}, it is unclear whether the ${noun} has ended: ${shown}. Check it later with Get, or in the dashboard`;
}

const minutes = (ms: number): string => {
	const count = Math.round(ms / 6_000) / 10;
	return count === 1 ? '1 minute' : `${count} minutes`;
};

function finished(
	context: OperationContext,
	job: BackgroundJob,
	state: JobState,
	id: string,
	{ requiresSuccess }: JobWait,
	origin: Origin,
): WaitOutcome {
	const { response, status, succeeded } = state;
	const message = `The ${job.noun} ${id} ended with the status ${status}${whyNot(state)}`;
	const step = 'See its results with Get or in the dashboard.';
	if (requiresSuccess && succeeded !== true) {
		const next = origin === 'created' ? notAgain(job) : '';
		throw uncertain(context.invalid(message, `${next}${step}`));
	}
	if (succeeded === undefined) context.notify(`${message}. ${step}`);
	return { outputs: marked(job, response, { ended: true, status }, succeeded), ended: true, id };
}

function whyNot({ succeeded, failedRows }: JobState): string {
	if (succeeded === undefined) return ', which does not show whether it succeeded';
	return failedRows > 0 ? `, and ${countOf(failedRows, 'row')} failed` : '';
}

const notAgain = ({ noun }: BackgroundJob): string =>
	`Running the node again creates another ${noun}. `;

/** The end is unknown: the output and a hint say so. @throws NodeOperationError instead, if success is required */
function unfinished(
	context: OperationContext,
	job: BackgroundJob,
	response: ServiceResponse,
	result: WaitResult,
	{ requiresSuccess }: JobWait,
): WaitOutcome {
	const reason = result.reason as string;
	if (requiresSuccess)
		throw uncertain(context.invalid(reason, 'Require Success is on, so the item fails.'));
	context.notify(reason);
	return { outputs: marked(job, response, result), ended: false };
}

function marked(
	job: BackgroundJob,
	response: ServiceResponse,
	result: WaitResult,
	succeeded?: boolean,
): Output[] {
	const fields = withoutUndefined({ waitResult: withoutUndefined(result), succeeded });
	return outputOf(response, job.endpoint).map((output) => withOwn(output, fields));
}
