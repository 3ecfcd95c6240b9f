import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Endpoint } from '../api/endpoint';
import { progressOf } from '../api/progress';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import type { ServiceResponse } from '../api/response';
import { withoutUndefined } from '../parameters/values';
import type { OperationContext } from './operationContext';
import type { Output, Waiting } from './output';
import { outputOf, withOwn } from './output';
import { poll } from './poll';

/** A kind of job that the service runs in the background. */
export interface BackgroundJob {
	/** For messages: "broadcast". */
	noun: string;
	/** Reads one. */
	endpoint: Endpoint;
}

/** How a wait ended. */
export interface WaitOutcome {
	/** The job in its last known state, with `waitResult`. */
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

/** A job as it was read once. */
interface JobState {
	response: ServiceResponse;
	status?: string;
	ended: boolean;
}

/**
 * Reads a job, as it is now or once it has ended.
 *
 * @param maxMs the longest wait, in milliseconds; undefined for none
 * @throws NodeApiError if the service rejects the request, for example because of a wrong ID; without a wait, also if it
 *   fails
 */
export async function readJob(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	maxMs: number | undefined,
): Promise<Output[] | Waiting> {
	const first = await readFirst(context, job, id, maxMs !== undefined);
	const outputs = first ? outputOf(first.response, job.endpoint) : [];
	if (maxMs === undefined) return outputs;
	if (first?.ended) return finished(job, first, id).outputs;
	return {
		outputs,
		wait: async () => (await follow(context, job, id, maxMs, first)).outputs,
	};
}

/** @returns undefined if it failed without being rejected, and the wait reads it again */
async function readFirst(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	waits: boolean,
): Promise<JobState | undefined> {
	const read = async () => stateIn(job, context.withRecord(await context.send({ path: { id } })));
	return await read().catch((error: unknown) => {
		context.throwIfStopped();
		const status = Number((error as Partial<NodeApiError>).httpCode ?? 0);
		const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
		if (waits && error instanceof NodeApiError && !isRejected) return undefined;
		throw error;
	});
}

/**
 * Waits until a newly created job has ended. Throws nothing, except if the execution was stopped: a job must not be
 * created again because its progress could not be tracked.
 *
 * @param created the response to its creation
 * @param maxMs the longest wait, in milliseconds
 */
export async function waitForCreated(
	context: OperationContext,
	job: BackgroundJob,
	created: ServiceResponse,
	maxMs: number,
): Promise<WaitOutcome> {
	const { id, status } = recordOf(created.json, recordNames(job.endpoint));
	if (id !== undefined)
		return await follow(context, job, id, maxMs, stateIn(job, created), 'created');
	const reason = `The service accepted the ${job.noun}, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many`;
	return unfinished(context, job, created, { ended: false, status, reason });
}

/**
 * Reads a job until it has ended, or the time has run out. By polling, because the service has no events (API
 * document, section Events).
 *
 * @param first the job as it is known
 * @param origin whether this run created the job
 * @throws NodeApiError if it was never read
 */
async function follow(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	maxMs: number,
	first: JobState | undefined,
	origin: 'created' | 'found' = 'found',
): Promise<WaitOutcome> {
	const lookUp = { endpoint: job.endpoint, path: { id }, action: `Get ${job.noun}` };
	let last = first;
	const { value, lastError } = await poll(context, maxMs, async (own) => {
		last = stateIn(job, own.withRecord(await own.send(lookUp), lookUp));
		return last.ended ? last : undefined;
	});
	if (value) return finished(job, value, id);
	if (!last) throw lastError as NodeApiError;
	const { status, response } = last;
	const reason = lastError
		? unreadText(job, id, maxMs, lastError, origin)
		: unfinishedText(job, maxMs, status);
	return { ...unfinished(context, job, response, { ended: false, status, reason }), id };
}

function stateIn(job: BackgroundJob, response: ServiceResponse): JobState {
	const { status } = recordOf(response.json, recordNames(job.endpoint));
	const ended = status !== undefined && progressOf(status) === 'ended';
	return { response, status, ended };
}

function unreadText(
	{ noun }: BackgroundJob,
	id: string,
	maxMs: number,
	{ message }: NodeApiError,
	origin: 'created' | 'found',
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

const finished = (job: BackgroundJob, { response, status }: JobState, id: string): WaitOutcome => ({
	outputs: marked(job, response, { ended: true, status }),
	ended: true,
	id,
});

/** The end is unknown: the output and a hint say so. */
function unfinished(
	context: OperationContext,
	job: BackgroundJob,
	response: ServiceResponse,
	result: WaitResult,
): WaitOutcome {
	context.notify(result.reason as string);
	return { outputs: marked(job, response, result), ended: false };
}

function marked(job: BackgroundJob, response: ServiceResponse, result: WaitResult): Output[] {
	const waitResult = withoutUndefined(result);
	return outputOf(response, job.endpoint).map((output) => withOwn(output, { waitResult }));
}
