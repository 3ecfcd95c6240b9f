import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { Endpoint } from '../api/endpoint';
import { endEvidence, progressOf } from '../api/progress';
import { recordOf } from '../api/record';
import { recordNames } from '../api/recordNames';
import type { ServiceResponse } from '../api/response';
import { withoutUndefined } from '../parameters/values';
import type { OperationContext } from './operationContext';
import type { Output } from './output';
import { outputOf } from './output';

/** The first check is soon, each later one after a pause half as long again, up to half a minute. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

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
	if (id !== undefined) return await waitForCompletion(context, job, id, maxMs, created);
	const reason = `The service accepted the ${job.noun}, but its response has no ID, so its progress cannot be tracked. Do not repeat it; find it with Get Many`;
	return stopped(context, job, created, { ended: false, status, reason });
}

/**
 * Reads a job until it has ended, or the time has run out. By polling, because the service has no events (API
 * document, section Events).
 *
 * @param maxMs the longest wait, in milliseconds
 * @param created the response to its creation, if it was just created
 * @throws NodeApiError if it cannot be read at all, unless it was just created
 */
export async function waitForCompletion(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	maxMs: number,
	created?: ServiceResponse,
): Promise<WaitOutcome> {
	const lookUp = { endpoint: job.endpoint, path: { id }, action: `Get ${job.noun}` };
	const deadline = clock.now() + maxMs;
	let last = created;
	let previous: ServiceResponse | undefined;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
		const response = await context.send(lookUp).catch((error: unknown) => {
			if (!last || !(error instanceof NodeApiError)) throw error;
			return error;
		});
		if (response instanceof NodeApiError) {
			const { status } = recordOf(last?.json, recordNames(job.endpoint));
			const known = created ? 'was created' : 'was found';
			// The error's own next step may be to run it again, which would create another job.
			const why = created
				? `${response.message}. Do not repeat it; check it later with Get`
				: errorText(response);
			const reason = `The ${job.noun} ${id} ${known}, but its progress could not be tracked. ${why}`;
			return {
				...stopped(context, job, last as ServiceResponse, { ended: false, status, reason }),
				id,
			};
		}
		const { status, state } = stateIn(response, job, previous);
		last = previous = response;
		if (state === 'ended') {
			return { outputs: marked(job, response, { ended: true, status }), ended: true, id };
		}
		if (state === 'hidden') {
			const reason = `The service returns no status for the ${job.noun}, so it is unknown whether it has ended. Check it in the dashboard`;
			return { ...stopped(context, job, response, { ended: false, reason }), id };
		}
		const left = deadline - clock.now();
		if (left <= 0) {
			const reason = `Stopped waiting after ${minutes(maxMs)}; ${whatIsLeft(job, status)}. To wait longer, raise Max Wait; to check later, use Get`;
			return { ...stopped(context, job, response, { ended: false, status, reason }), id };
		}
		await context.wait(Math.min(pause, left));
	}
}

/**
 * Whether a job has ended. Its status decides if its name is clear. Otherwise, or without a status, the job has ended
 * if it has an end time, or if its counters are complete and no longer change.
 */
function stateIn(
	response: ServiceResponse,
	job: BackgroundJob,
	before: ServiceResponse | undefined,
): { status?: string; state: 'ended' | 'moving' | 'hidden' } {
	const { record, status } = recordOf(response.json, recordNames(job.endpoint));
	const progress = status === undefined ? 'unknown' : progressOf(status);
	if (progress !== 'unknown') return { status, state: progress };
	const { kind, open } = endEvidence(record);
	if (kind === 'none')
		return { status, state: status === undefined && !open ? 'hidden' : 'moving' };
	const settled =
		kind !== 'counters' || JSON.stringify(response.json) === JSON.stringify(before?.json);
	return { status, state: settled ? 'ended' : 'moving' };
}

function whatIsLeft(job: BackgroundJob, status: string | undefined): string {
	if (status === undefined) return `the service does not show that the ${job.noun} has ended`;
	if (progressOf(status) === 'moving') return `the status is still ${status}`;
	return `the status ${status} does not show whether the ${job.noun} has ended`;
}

/** What was rejected, and the next step. */
const errorText = ({ message, description }: NodeApiError): string =>
	[message, description].filter(Boolean).join('. ');

const minutes = (ms: number): string => {
	const count = Math.round(ms / 6_000) / 10;
	return count === 1 ? '1 minute' : `${count} minutes`;
};

/** The end is unknown: the output and a hint say so. */
function stopped(
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
	return outputOf(response, job.endpoint).map((output) => ({
		...output,
		json: { ...output.json, waitResult },
	}));
}
