import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Connection } from '../api/connection';
import { connect } from '../api/connection';
import { MAX_IN_FLIGHT } from '../api/gate';
import { inParallel } from '../api/parallel';
import { throwIfStopped } from '../api/send';
import { Parameters } from '../fields/parameters';
import type { Output, Resource } from './operation';
import type { Job } from './perform';
import { prepare } from './perform';

/** What became of one input item; of several, where they were run as one. */
type Result = { outputs: Output[]; from: number[] } | { error: NodeApiError | NodeOperationError };

/** One run of an operation, for one item or for several together. */
interface Run {
	job: Job;
	/** The items that it is for, in their order. */
	from: number[];
	/** What each of them brings. */
	parts: unknown[];
}

/**
 * Runs the chosen operation for every input item: parameters read per item, several items at once, results in
 * input order and paired with their items.
 *
 * All parameters are read before anything is sent, so that a value that cannot be used stops the run while it is
 * still whole, unless the node is set to continue.
 *
 * @throws NodeApiError, NodeOperationError the first item's, unless the node continues on fail
 */
export async function run(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const notices = new Notices(context);
	const results: Result[] = new Array<Result>(items.length);
	const connection = await connect(context, notices).catch((error: unknown) => {
		// Thrown past a node that continues, n8n would hand the input on as if all had gone well.
		results.fill({ error: asNodeError(context, error, 0) });
		return undefined;
	});
	if (connection) {
		const jobs = prepareAll(context, resources, results);
		if (!context.continueOnFail()) throwFirst(results, 0);
		await runAll(connection, runsOf(jobs), results, context);
		throwIfStopped(connection);
	}
	if (!context.continueOnFail()) throwFirst(results, items.length);
	notices.show();
	return [results.flatMap((result, index) => outputItems(context, result, index))];
}

function prepareAll(
	context: IExecuteFunctions,
	resources: Resource[],
	results: Result[],
): (Job | undefined)[] {
	return context.getInputData().map((_item, index) => {
		try {
			const operation = operationFor(context, resources, index);
			return prepare(operation, new Parameters(context, index, operation.fields));
		} catch (error) {
			results[index] = { error: asNodeError(context, error, index) };
			return undefined;
		}
	});
}

function operationFor(context: IExecuteFunctions, resources: Resource[], index: number) {
	const resource = String(context.getNodeParameter('resource', index));
	const operation = String(context.getNodeParameter('operation', index));
	const found = resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
	if (found) return found;
	const message = `This node has no operation "${operation}" of a resource "${resource}"`;
	throw new NodeOperationError(context.getNode(), message, {
		description: 'Choose both from their lists.',
		itemIndex: index,
	});
}

/** Joins items that are run as one. */
function runsOf(jobs: (Job | undefined)[]): Run[] {
	const joint = new Map<string, Run>();
	const runs: Run[] = [];
	jobs.forEach((job, index) => {
		if (!job) return;
		const known = job.joint && joint.get(job.joint.key);
		if (known) {
			known.from.push(index);
			known.parts.push(job.joint?.part);
			return;
		}
		const run: Run = { job, from: [index], parts: [job.joint?.part] };
		if (job.joint) joint.set(job.joint.key, run);
		runs.push(run);
	});
	return runs;
}

/** Runs in lanes: one lane per subject, in input order within the lane, several lanes at once. */
async function runAll(
	connection: Connection,
	runs: Run[],
	results: Result[],
	context: IExecuteFunctions,
): Promise<void> {
	const lanes = new Map<string, Run[]>();
	runs.forEach((run, index) => {
		const { subject } = run.job;
		const lane = subject === undefined ? `run ${index}` : `subject ${subject}`;
		const others = lanes.get(lane);
		if (others) others.push(run);
		else lanes.set(lane, [run]);
	});
	const shared = new Map<string, Promise<Output[]>>();
	let failed = false;
	await inParallel([...lanes.values()], MAX_IN_FLIGHT, async (lane) => {
		for (const run of lane) {
			if (connection.signal?.aborted || (failed && !context.continueOnFail())) return;
			failed = !(await perform(connection, run, shared, results, context)) || failed;
		}
	});
}

/** Puts what became of a run where its items are. Returns whether it went well. */
async function perform(
	connection: Connection,
	{ job, from, parts }: Run,
	shared: Map<string, Promise<Output[]>>,
	results: Result[],
	context: IExecuteFunctions,
): Promise<boolean> {
	const [first = 0, ...others] = from;
	try {
		const known = job.sameAs === undefined ? undefined : shared.get(job.sameAs);
		const outputs = known ?? job.run(connection, parts);
		if (job.sameAs !== undefined) shared.set(job.sameAs, outputs);
		results[first] = { outputs: await outputs, from };
		for (const index of others) results[index] = { outputs: [], from };
		return true;
	} catch (error) {
		for (const index of from) results[index] = { error: asNodeError(context, error, index) };
		return false;
	}
}

/** @param sent how many items there were when something had been sent; 0 before that */
function throwFirst(results: Result[], sent: number): void {
	const failure = results.find((result) => result && 'error' in result);
	if (!failure || !('error' in failure)) return;
	const done = results.filter((result) => result && 'outputs' in result).length;
	if (sent > 1 && done > 0) {
		const progress = `${done} of ${sent} items had been carried out by then; running the node again repeats them.`;
		failure.error.description = [failure.error.description, progress].filter(Boolean).join(' ');
	}
	throw failure.error;
}

function asNodeError(
	context: IExecuteFunctions,
	error: unknown,
	index: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		// Set before anything wraps it: wrapping a NodeApiError returns the same one and ignores the item.
		error.context.itemIndex ??= index;
		return error;
	}
	return new NodeOperationError(context.getNode(), error as Error, { itemIndex: index });
}

function outputItems(
	context: IExecuteFunctions,
	result: Result,
	index: number,
): INodeExecutionData[] {
	if ('outputs' in result) {
		const { from } = result;
		const pairedItem = from.length > 1 ? from.map((item) => ({ item })) : { item: index };
		return result.outputs.map(({ json, binary }) => ({
			json: { ...json },
			...(binary && { binary }),
			pairedItem,
		}));
	}
	const pairedItem = { item: index };
	const { error } = result;
	const text = [error.message, error.description]
		.filter(Boolean)
		.join('. ')
		.replace(/\.\. /g, '. ');
	// With Retry On Fail, n8n runs the whole node again when the first item has a key `error`, and so repeats the
	// writes of all others. An error beside the json is put there by n8n afterwards.
	if (context.getNode().retryOnFail) return [{ json: {}, error, pairedItem }];
	return [{ json: { error: text }, pairedItem }];
}

/** What a person should know without it being a refusal: in the log at once, and in the editor at the end. */
class Notices {
	private readonly messages = new Set<string>();

	private longestWait = 0;

	constructor(private readonly context: IExecuteFunctions) {}

	notify = (message: string): void => {
		this.context.logger.info(message);
		this.messages.add(message);
	};

	waited = (seconds: number): void => {
		this.context.logger.info(`Waited ${seconds} s for the rate limit of the service`);
		this.longestWait = Math.max(this.longestWait, seconds);
	};

	show(): void {
		if (this.longestWait > 0) {
			this.messages.add(
				`The rate limit of the service made this run wait, up to ${this.longestWait} s at a time`,
			);
		}
		const hints = [...this.messages].map((message) => ({
			message,
			location: 'outputPane' as const,
		}));
		if (hints.length > 0) this.context.addExecutionHints?.(...hints);
	}
}
