import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { withLock } from './lock';

/** How many keys n8n keeps per node, as its Remove Duplicates node does. The oldest are forgotten first. */
export const MAX_KEYS = 10_000;

const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MAX_KEYS };

/** A key that n8n keeps in its database beyond the execution, for this node. */
export class ProcessedKey {
	constructor(
		private readonly n8n: IExecuteFunctions,
		private readonly key: string,
	) {}

	/** Does something alone: other work with the same key waits, within this process. */
	async withLock<T>(work: () => Promise<T>): Promise<T> {
		const { n8n, key } = this;
		return await withLock(`key ${n8n.getWorkflow().id ?? ''} ${n8n.getNode().id} ${key}`, work);
	}

	/**
	 * Records the key.
	 *
	 * @returns whether it is new
	 * @throws if n8n cannot record it, e.g. for a workflow that was never saved
	 */
	async record(): Promise<boolean> {
		const { helpers } = this.n8n;
		const found = await withKeysLock(
			async () => await helpers.checkProcessedAndRecord([this.key], 'node', OPTIONS),
		);
		// Neither a new nor a known key: n8n keeps something else for this node.
		if (found.processed.length + found.new.length === 0)
			throw new Error('the key was not recorded');
		return found.processed.length === 0;
	}

	/** Forgets the key. @throws if n8n cannot */
	async forget(): Promise<void> {
		const { helpers } = this.n8n;
		await withKeysLock(async () => await helpers.removeProcessed([this.key], 'node', OPTIONS));
	}
}

/** n8n reads all keys, changes them and writes them back: of two calls at the same moment, one would be lost. */
const withKeysLock = async <T>(call: () => Promise<T>): Promise<T> => await withLock('keys', call);
