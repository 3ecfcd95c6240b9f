import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { cancelSignalOf } from '../../api/client';
import { withLock } from './lock';

/** How many keys n8n keeps per node, as its Remove Duplicates node does. The oldest are forgotten first. */
export const MAX_KEYS = 10_000;

const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MAX_KEYS };

/** A key that n8n keeps in its database beyond the execution, for this node. */
export class ProcessedKey {
	/** The workflow and the node, for which n8n keeps all keys together. */
	private readonly node: string;

	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly key: string,
	) {
		this.node = `${n8n.getWorkflow().id ?? ''} ${n8n.getNode().id}`;
	}

	/**
	 * Does something alone: other work with the same key waits, within this process.
	 *
	 * @throws what the work throws; Error if the execution is stopped before the work has begun
	 */
	async withLock<T>(work: () => Promise<T>): Promise<T> {
		return await withLock(`key ${this.node} ${this.key}`, work, cancelSignalOf(this.n8n));
	}

	/**
	 * @returns whether it is new
	 * @throws if n8n cannot record it, e.g. for a workflow that was never saved
	 */
	async record(): Promise<boolean> {
		const found = await this.alone(
			async (helpers) => await helpers.checkProcessedAndRecord([this.key], 'node', OPTIONS),
		);
		// Neither a new nor a known key: n8n keeps something else for this node.
		if (found.processed.length + found.new.length === 0)
			throw new Error('the key was not recorded');
		return found.processed.length === 0;
	}

	/** Forgets the key, also of an execution that was stopped. @throws if n8n cannot */
	async forget(): Promise<void> {
		await this.alone(async (helpers) => await helpers.removeProcessed([this.key], 'node', OPTIONS));
	}

	/**
	 * Calls n8n. It reads all keys of the node, changes them and writes them back: of two calls at the same moment, one would
	 * be lost.
	 */
	private async alone<T>(call: (helpers: IExecuteFunctions['helpers']) => Promise<T>): Promise<T> {
		return await withLock(`keys ${this.node}`, async () => await call(this.n8n.helpers));
	}
}
