import { Container } from '@n8n/di';
import * as core from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { isDeepStrictEqual } from 'node:util';
import type { WorkflowFile } from './workflows.mts';
import type { Engine, RunOptions } from './engine.mts';

export interface PollerOptions extends RunOptions {
	/** The workflow's static data in n8n's database; none if missing. */
	saved?: string;
	/** Whether n8n has durable poll cursors: the state after a poll without events is then saved too. */
	durable?: boolean;
	/** The time limit of a poll that n8n reports, in milliseconds. */
	budgetMs?: number;
}

/** Whether this version of n8n has durable poll cursors, and reports the time limit of a poll. */
export const HAS_DURABLE_CURSORS = Object.hasOwn(
	core.PollContext.prototype,
	'getWorkflowStaticData',
);

/** How one poll ended. */
interface Tick {
	/** Its items; null if it found nothing. */
	items: INodeExecutionData[] | null;
	error?: Error;
}

/**
 * An active workflow with a polling trigger. Polls it as n8n does, and saves its static data when n8n does.
 *
 * Without durable cursors, n8n keeps the static data in its memory and writes it to its database only if a poll found
 * something, and when the workflow is activated.
 */
export class Poller {
	/** The static data in n8n's database. */
	saved: string;

	readonly triggerName: string;

	private readonly poll: (testingTrigger?: boolean) => Promise<unknown>;

	private outcome: Tick = { items: null };

	private save: () => void = () => undefined;

	constructor(
		engine: Engine,
		readonly file: WorkflowFile,
		options: PollerOptions,
	) {
		this.saved = options.saved ?? '{}';
		const staticData = JSON.parse(this.saved) as IDataObject;
		const { workflow, additionalData } = engine.polling(file, options, staticData);
		const node = Object.values(workflow.nodes).find(
			({ name }) => workflow.getParentNodes(name).length === 0,
		) as INode;
		this.triggerName = node.name;
		const scope = options.durable ? this.durableScope(node) : undefined;
		this.save = () => {
			if (!scope) this.saved = JSON.stringify(workflow.staticData);
		};
		const context = new core.PollContext(
			workflow,
			node,
			additionalData,
			'trigger',
			'activate',
			(data) => {
				this.outcome = { items: data[0] ?? [] };
				if (scope) scope.commit();
				else this.save();
			},
			(error) => (this.outcome = { items: null, error }),
			async () => await Promise.resolve(scope?.commit()),
			scope ? async (poll) => await scope.run(poll) : undefined,
			scope ? () => scope.snapshot : undefined,
			options.budgetMs === undefined ? undefined : () => options.budgetMs as number,
		);
		const poll = async (testingTrigger = false): Promise<void> => {
			// Older versions of n8n poll without a separate executor.
			const type = engine.nodeType(node.type);
			try {
				const data = await type.poll?.call(context);
				if (data) context.__emit(data);
			} catch (error) {
				if (testingTrigger) throw error;
				context.__emitError(error as Error);
			}
		};
		const executor = 'PollTriggerExecutor' in core ? core.PollTriggerExecutor : undefined;
		this.poll = executor
			? Container.get(executor).create(workflow, node, context, () => true)
			: poll;
	}

	/** Publishes the workflow: the first poll, which must succeed. @throws what the trigger throws */
	async activate(): Promise<Tick> {
		this.outcome = { items: null };
		await this.poll(true);
		this.save();
		return this.outcome;
	}

	/** One scheduled poll. */
	async tick(): Promise<Tick> {
		this.outcome = { items: null };
		await this.poll();
		return this.outcome;
	}

	/** The scope of a poll with durable cursors: works on a copy, and keeps it, by the node's ID, if the poll succeeds. */
	private durableScope(node: INode) {
		const scope = {
			snapshot: {} as IDataObject,
			seed: {} as IDataObject,
			run: async <T,>(poll: () => Promise<T>): Promise<T> => {
				const all = JSON.parse(this.saved) as IDataObject;
				scope.seed = (all[node.id] ?? {}) as IDataObject;
				scope.snapshot = structuredClone(scope.seed);
				return await poll();
			},
			commit: (): void => {
				if (isDeepStrictEqual(scope.snapshot, scope.seed)) return;
				this.saved = JSON.stringify({ [node.id]: scope.snapshot });
			},
		};
		return scope;
	}
}
