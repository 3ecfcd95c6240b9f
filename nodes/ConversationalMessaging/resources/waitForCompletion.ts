import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { ServiceResponse } from '../api/response';
import { clock } from '../api/clock';
import type { Endpoint } from '../api/endpoint';
import { endEvidence, progressOf } from '../api/progress';
import { recordOf } from '../api/record';
import { withoutUndefined } from '../parameters/parameters';
import type { Output, OperationContext } from './operation';

/** The first look comes soon, each later one after half as long again, up to half a minute. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

/** A kind of work that the service does in the background. */
export interface BackgroundJob {
	/** In messages: "broadcast". */
	noun: string;
	/** Reads one. */
	endpoint: Endpoint;
	/** What the service may call it in an answer (see `recordOf`). */
	names: readonly string[];
}

/** How a wait ended. */
export interface WaitOutcome {
	/** The job as it was seen last, with `waitResult`. */
	outputs: Output[];
	/** Whether the work is known to have ended, well or not. */
	ended: boolean;
	/** Undefined when the service did not give one. */
	id?: string;
}

/** What is put beside a job that was waited for. */
interface WaitResult extends IDataObject {
	ended: boolean;
	/** As the service spells it; missing when it shows none. */
	status?: string;
	/** Why the end is not known. */
	reason?: string;
}

/**
 * Follows a job that was just created until it has ended. Nothing that goes wrong here is thrown, except that the
 * execution was stopped: what was created must not be created again because it could not be watched.
 *
 * @param created the answer to its creation
 * @param maxMs how long at most, in milliseconds
 */
export async function waitForCreated(
	context: OperationContext,
	job: BackgroundJob,
	created: ServiceResponse,
	maxMs: number,
): Promise<WaitOutcome> {
	const { id, status } = recordOf(created.json, job.names);
	if (id !== undefined) return await waitForCompletion(context, job, id, maxMs, created);
	const reason = `The service accepted the ${job.noun}, but its response has no ID, so its progress cannot be tracked`;
	return stopped(context, created, { ended: false, status, reason });
}

/**
 * Reads a job until it has ended, or the time is up. Progress is followed by polling: the service has no events (API
 * document, section Events).
 *
 * @param maxMs how long at most, in milliseconds
 * @param created the answer to its creation, if it was created just now
 * @throws NodeApiError when it cannot be read at all, unless it was created just now
 */
export async function waitForCompletion(
	context: OperationContext,
	job: BackgroundJob,
	id: string,
	maxMs: number,
	created?: ServiceResponse,
): Promise<WaitOutcome> {
	const lookUp = { path: { id }, action: `Get ${job.noun}` };
	const until = clock.now() + maxMs;
	let last = created;
	let lookedAt: ServiceResponse | undefined;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
		const response = await context.send(job.endpoint, lookUp).catch((error: unknown) => {
			if (!last || !(error instanceof NodeApiError)) throw error;
			return error;
		});
		if (response instanceof NodeApiError) {
			const { status } = recordOf(last?.json, job.names);
			const known = created ? 'was created' : 'was found';
			const reason = `The ${job.noun} ${id} ${known}, but its progress could not be tracked. ${errorText(response)}`;
			return { ...stopped(context, last as ServiceResponse, { ended: false, status, reason }), id };
		}
		const { status, state } = stateIn(response, job, lookedAt);
		last = lookedAt = response;
		if (state === 'ended') {
			return { outputs: marked(context, response, { ended: true, status }), ended: true, id };
		}
		if (state === 'hidden') {
			const reason = `The service shows no status of the ${job.noun}, so it is unknown whether it has ended`;
			return { ...stopped(context, response, { ended: false, reason }), id };
		}
		const left = until - clock.now();
		if (left <= 0) {
			const reason = `Stopped waiting after ${minutes(maxMs)}; ${whatIsLeft(job, status)}`;
			return { ...stopped(context, response, { ended: false, status, reason }), id };
		}
		await context.wait(Math.min(pause, left));
	}
}

/**
 * Whether a job has ended. Its status decides where that is clear by name. A status that could be either, or none at
 * all, leaves it to the time of its end, or to counters that are complete and no longer change.
 */
function stateIn(
	response: ServiceResponse,
	job: BackgroundJob,
	before: ServiceResponse | undefined,
): { status?: string; state: 'ended' | 'moving' | 'hidden' } {
	const { record, status } = recordOf(response.json, job.names);
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
	return `the status ${status} does not say whether the ${job.noun} has ended`;
}

/** What was refused, and the next step. */
export const errorText = ({ message, description }: NodeApiError): string =>
	[message, description].filter(Boolean).join('. ');

const minutes = (ms: number): string => {
	const count = Math.round(ms / 6_000) / 10;
	return count === 1 ? '1 minute' : `${count} minutes`;
};

/** The end is not known: this is said in the output, and as a hint. */
function stopped(
	context: OperationContext,
	response: ServiceResponse,
	result: WaitResult,
): WaitOutcome {
	context.notify(result.reason as string);
	return { outputs: marked(context, response, result), ended: false };
}

function marked(
	context: OperationContext,
	response: ServiceResponse,
	result: WaitResult,
): Output[] {
	const waitResult = withoutUndefined(result);
	return context
		.output(response)
		.map((output) => ({ ...output, json: { ...output.json, waitResult } }));
}
