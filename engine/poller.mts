import { Container } from '@n8n/di';
import * as core from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { isDeepStrictEqual } from 'node:util';
import type { WorkflowFile } from './workflows.mts';
import type { Engine, RunOptions } from './engine.mts';

export interface PollerOptions extends RunOptions {
	/** What n8n's database holds of the workflow's static data; nothing when missing. */
	saved?: string;
	/** Whether n8n keeps durable poll cursors: what a poll without events leaves is then saved too. */
	durable?: boolean;
	/** What n8n says a poll may take, in milliseconds. */
	budgetMs?: number;
}

/** Whether this version of n8n keeps durable poll cursors, and tells how long a poll may take. */
export const HAS_DURABLE_CURSORS = Object.hasOwn(
	core.PollContext.prototype,
	'getWorkflowStaticData',
);

/** How one poll ended. */
export interface Tick {
	/** What it brought; null when it brought nothing. */
	items: INodeExecutionData[] | null;
	error?: Error;
}

/**
 * An active workflow that begins with a polling trigger: polls it as n8n does, and saves its static data when n8n does.
 *
 * Without durable cursors, n8n keeps the static data in its memory and writes it to its database only when a poll
 * brought something, and when the workflow is activated.
 */
export class Poller {
	/** The static data as n8n's database holds it. */
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
			// Older versions of n8n poll without an executor of their own.
			const type = engine.nodeType(node.type);
			try {
				const data = await type.poll?.call(context as unknown as IPollFunctions);
				if (data) context.__emit(data);
			} catch (error) {
				if (testingTrigger) throw error;
				context.__emitError(error as Error);
			}
		};
		const executor = 'PollTriggerExecutor' in core ? core.PollTriggerExecutor : undefined;
		this.poll = executor
			? Container.get(executor).create(
					workflow,
					node,
					context as unknown as IPollFunctions,
					() => true,
				)
			: poll;
	}

	/** Publishes the workflow: the first poll, which has to go well. @throws what the trigger throws */
	async activate(): Promise<Tick> {
		this.outcome = { items: null };
		await this.poll(true);
		this.save();
		return this.outcome;
	}

	/** One poll at its time. */
	async tick(): Promise<Tick> {
		this.outcome = { items: null };
		await this.poll();
		return this.outcome;
	}

	/** The scope that n8n with durable cursors polls in: works on a copy, and keeps it when the poll went well. */
	private durableScope(node: INode) {
		const scope = {
			snapshot: {} as IDataObject,
			seed: {} as IDataObject,
			run: async <T,>(poll: () => Promise<T>): Promise<T> => {
				const all = JSON.parse(this.saved) as IDataObject;
				scope.seed = (all[`node:${node.name}`] ?? {}) as IDataObject;
				scope.snapshot = structuredClone(scope.seed);
				return await poll();
			},
			commit: (): void => {
				if (isDeepStrictEqual(scope.snapshot, scope.seed)) return;
				this.saved = JSON.stringify({ [`node:${node.name}`]: scope.snapshot });
			},
		};
		return scope;
	}
}
