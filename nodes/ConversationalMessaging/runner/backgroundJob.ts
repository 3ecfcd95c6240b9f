import { type IDataObject, NodeApiError } from 'n8n-workflow';
import { type Shown, shown } from '../api/access/shown';
import type { Endpoint } from '../api/endpoint';
import { statusIn } from '../api/errors';
import { requireRecord } from '../api/reads/record';
import { hasEnded, progressOf } from '../api/response/progress';
import { recordOf, statusOf, type ServiceResponse } from '../api/response/response';
import type { PathParameter } from '../descriptions/pathParameter';
import { type JobWait, jobWait, waitOptions } from '../descriptions/wait';
import type { Parameters } from '../parameters/parameters';
import { countOf, namesText, withoutUndefined } from '../parameters/values';
import type { OperationContext } from './operationContext';
import { type Output, type Sent, outputOf, withFields } from './output';
import { readUntilFound } from './readUntilFound';

/** A kind of job that the service runs in the background. */
export interface BackgroundJob {
	/** For messages: "broadcast". */
	noun: string;
	endpoint: Endpoint;
	/** How many of its rows failed, for a job whose record shows that; undefined if this one does not. */
	failedRows?: (record: IDataObject) => number | undefined;
}

interface WaitOutcome {
	/** The job in its last known state, with `waitResult` and, if it is known, `succeeded`. */
	outputs: Output[];
	/** Whether the job is known to have ended, successfully or not. */
	ended: boolean;
	/** Why it did not succeed; undefined if it did, or if that is unknown. */
	failure?: Shown;
}

interface JobState {
	response: ServiceResponse;
	status?: string;
	ended: boolean;
	/** Whether all of it succeeded; undefined if that is unknown. */
	succeeded?: boolean;
	/** Why not, or why it is unknown, as the end of a sentence about its status. */
	why: Shown;
}

/** A job whose end is waited for. */
export interface AwaitedJob {
	job: BackgroundJob;
	/** Undefined if the service did not return one when it created the job. */
	id?: string;
	wait: JobWait;
	origin: 'created' | 'found';
	/** As it was read last; undefined if it could not be read yet. */
	last?: JobState;
}

/** What an operation that reads a job has, besides its texts: now, or once it has ended. */
export const jobReading = (job: BackgroundJob, of: PathParameter) => ({
	endpoint: job.endpoint,
	of,
	fields: [waitOptions],
	prepare: (parameters: Parameters) => ({
		id: of.id(parameters),
		wait: jobWait(parameters.collection('options')),
	}),
	run: async (context: OperationContext, plan: { id: string; wait?: JobWait }) =>
		await readJob(context, job, plan.id, plan.wait),
	wait: async (context: OperationContext, _plan: unknown, found: AwaitedJob) =>
		(await waitForEnd(context, found)).outputs,
});

/** Reads a job as it is now. If it has not ended, `waitForEnd` reads it again. */
async function readJob(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	wait: JobWait | undefined,
): Promise<Sent<AwaitedJob>> {
	const last = await readFirst(context, job, id, wait !== undefined);
	const outputs = last ? outputOf(last.response, job.endpoint) : [];
	if (wait === undefined) return { outputs };
	const found: AwaitedJob = { job, id, wait, origin: 'found', last };
	return last?.ended
		? { outputs: finished(context, found, last).outputs }
		: { outputs, pending: found };
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
		return stateIn(job, requireRecord(context.client, context.requestInfo, response));
	};
	return await read().catch((error: unknown) => {
		context.throwIfStopped();
		const status = statusIn(error);
		const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
		if (waits && error instanceof NodeApiError && !isRejected) return undefined;
		throw error;
	});
}

/** @param wait undefined for none */
export const createdJob = (
	job: BackgroundJob,
	response: ServiceResponse,
	wait: JobWait | undefined,
): AwaitedJob | undefined =>
	wait && {
		job,
		id: recordOf(response.json, job.endpoint).id,
		wait,
		origin: 'created',
		last: stateIn(job, response),
	};

/**
 * Reads a job until it has ended, or the time has run out. By polling, because the service has no events (API
 * document, section Events). A created job must not be created again because its progress could not be tracked, so that
 * is no error.
 *
 * @throws NodeApiError if it was found, and never read
 * @throws NodeOperationError if the execution was stopped, or success is required and not certain
 */
export async function waitForEnd(
	context: OperationContext,
	awaited: AwaitedJob,
): Promise<WaitOutcome> {
	const { job, id, wait } = awaited;
	if (id === undefined) {
		const reason = shown`The service accepted the ${job.noun}, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many`;
		return unfinished(context, awaited, awaited.last as JobState, reason);
	}
	const lookUp = { endpoint: job.endpoint, path: { id }, action: `Get ${job.noun}` };
	let { last } = awaited;
	const { value, lastError } = await readUntilFound(context, wait.maxMs, async (readContext) => {
		const response = await readContext.send(lookUp);
		last = stateIn(job, requireRecord(readContext.client, lookUp, response));
		return last.ended ? last : undefined;
	});
	if (value) return finished(context, awaited, value);
	if (!last) throw lastError as NodeApiError;
	const reason = lastError ? unreadText(awaited, lastError) : unfinishedText(awaited, last.status);
	return unfinished(context, awaited, last, reason);
}

function stateIn(job: BackgroundJob, response: ServiceResponse): JobState {
	const { record } = recordOf(response.json, job.endpoint);
	const status = statusOf(record);
	const ended = status !== undefined && hasEnded(status);
	return { response, status, ended, ...(ended ? resultOf(job, record, status) : NO_RESULT) };
}

const NO_RESULT = { succeeded: undefined, why: shown`` };

function resultOf(
	job: BackgroundJob,
	record: IDataObject,
	status: string,
): Pick<JobState, 'succeeded' | 'why'> {
	const failed = job.failedRows?.(record);
	if (failed !== undefined && failed > 0)
		return { succeeded: false, why: shown`, and ${countOf(failed, 'row')} failed` };
	const succeeded = progressOf(status) === 'succeeded';
	// One of a name that is not known may count failed rows.
	if (succeeded && job.failedRows && failed === undefined)
		return {
			succeeded: undefined,
			why: shown`, and its fields ${namesText(Object.keys(record))} do not show for certain whether rows failed`,
		};
	return { succeeded, why: shown`` };
}

function unreadText({ job, id, wait, origin }: AwaitedJob, { message }: Error): Shown {
	// The next step of the rejection may be to run it again, which would create another job.
	const next =
		origin === 'created' ? 'Do not repeat it; check it later with Get' : 'Check it later with Get';
	return shown`The ${job.noun} ${id ?? ''} was ${origin}, but could not be read at the end of the wait of ${minutesText(wait.maxMs)}: ${message}. ${next}`;
}

function unfinishedText({ job: { noun }, wait }: AwaitedJob, status?: string): Shown {
	const time = minutesText(wait.maxMs);
	if (status !== undefined && progressOf(status) === 'running')
		return shown`The ${noun} did not finish within ${time}; its status is still ${status}. It continues in the service. Check it later with Get, or follow it with the trigger`;
	const reason =
		status === undefined ? 'the service returns no status' : `the status ${status} is unknown`;
	return shown`After ${time}, it is unclear whether the ${noun} has ended: ${reason}. Check it later with Get, or in the dashboard`;
}

/** "1 minute", "2.5 minutes" */
export const minutesText = (ms: number): string => {
	const count = Math.round(ms / 6_000) / 10;
	return count === 1 ? '1 minute' : `${count} minutes`;
};

function finished(
	context: OperationContext,
	{ job, id, wait, origin }: AwaitedJob,
	state: JobState,
): WaitOutcome {
	const { status, succeeded } = state;
	const message = shown`The ${job.noun} ${id ?? ''} ended with the status ${status ?? ''}${state.why}`;
	const step = 'See its results with Get or in the dashboard.';
	if (wait.requiresSuccess && succeeded !== true) {
		const next = origin === 'created' ? `Running the node again creates another ${job.noun}. ` : '';
		throw context.invalid(message, shown`${next}${step}`);
	}
	if (succeeded === undefined) context.notify(shown`${message}. ${step}`);
	const outputs = marked(job, state, { ended: true, status });
	return { outputs, ended: true, failure: succeeded === false ? message : undefined };
}

/** The end is unknown: the output and a notice say so. @throws NodeOperationError instead, if success is required */
function unfinished(
	context: OperationContext,
	{ job, wait }: AwaitedJob,
	last: JobState,
	reason: Shown,
): WaitOutcome {
	if (wait.requiresSuccess)
		throw context.invalid(reason, 'Require Success is on, so the item fails.');
	context.notify(reason);
	const result = { ended: false, status: last.status, reason: String(reason) };
	return { outputs: marked(job, { ...last, succeeded: undefined }, result), ended: false };
}

/** @param result whether it has ended, its status as the service spells it, and why the end is unknown */
function marked(
	{ endpoint }: BackgroundJob,
	{ response, succeeded }: JobState,
	result: IDataObject,
): Output[] {
	const fields = withoutUndefined({ waitResult: withoutUndefined(result), succeeded });
	return withFields(outputOf(response, endpoint), fields);
}
