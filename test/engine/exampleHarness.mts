import { readFileSync } from 'node:fs';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { fillIn } from '../../tools/demo/fillIn.mts';
import { outputOf, type RunOptions } from '../../tools/engine/engine.mts';
import { WaitingExecutions } from '../../tools/engine/waiting.mts';
import type { WorkflowFile } from '../../tools/engine/workflows.mts';
import type { Segment } from '../../sandbox/records.mts';
import { SharedHarness } from './sharedHarness.mts';

const EXAMPLES = new URL('../../examples/', import.meta.url);

/** The output items of a node in a run. */
export type OutputOf = (node: string, output?: number) => INodeExecutionData[];

/** Where a run begins, instead of at its first trigger, and what it begins with. */
export interface Start {
	trigger: string;
	items?: INodeExecutionData[];
}

/** An item of the node before. */
export const inputOf = (json: IDataObject) => ({ json, pairedItem: { item: 0 } });

/** The example workflows, with their blanks filled in as their notes ask. */
export class ExampleHarness extends SharedHarness {
	constructor() {
		super({ contacts: 60 });
	}

	filledIn(name: string): WorkflowFile {
		const text = readFileSync(new URL(`${name}.json`, EXAMPLES), 'utf8');
		return fillIn(`${name}.json`, JSON.parse(text) as WorkflowFile, this.world);
	}

	/** Runs an example, by its name, or one that was changed. */
	async attempt(
		example: string | WorkflowFile,
		start?: Start,
		more: Partial<RunOptions> = {},
	): Promise<IRun> {
		const file = typeof example === 'string' ? this.filledIn(example) : example;
		const options = { credential: this.credential, ...more };
		if (!start) return await this.engine.run(file, options);
		return await this.engine.runFrom(file, start.trigger, start.items ?? [inputOf({})], options);
	}

	/** A run that must succeed. */
	async runExample(...of: Parameters<ExampleHarness['attempt']>): Promise<OutputOf> {
		const run = await this.attempt(...of);
		expect(run.data.resultData.error).toBeUndefined();
		return (node, output) => outputOf(run, node, output);
	}

	segmentNamed(name: string): Segment | undefined {
		return this.world.segments.find((each) => each.name === name);
	}

	/** The routes of everything that was written. */
	written(): string[] {
		return this.routes().filter((route) => !route.startsWith('GET '));
	}
}

/** Executions that wait, for the tests of a describe block. */
export function waitingExecutions(
	service: ExampleHarness,
): Pick<WaitingExecutions, 'run' | 'runFrom' | 'runOf' | 'timeUp'> {
	let waiting: WaitingExecutions;
	beforeEach(async () => {
		waiting = await WaitingExecutions.start(service.engine);
	});
	afterEach(async () => await waiting.close());
	return {
		run: async (...of) => await waiting.run(...of),
		runFrom: async (...of) => await waiting.runFrom(...of),
		runOf: (id) => waiting.runOf(id),
		timeUp: async (id) => await waiting.timeUp(id),
	};
}
