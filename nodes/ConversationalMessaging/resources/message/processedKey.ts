import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import { inTurn } from './inTurn';

/** Where n8n keeps a key, and how many keys it keeps there; the oldest are forgotten first. */
export interface KeyStore {
	scope: DeduplicationScope;
	maxEntries: number;
}

/**
 * A key that n8n keeps in its database beyond the execution, for this node or for all nodes of the workflow, as its
 * Remove Duplicates node does.
 */
export class ProcessedKey {
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly key: string,
		private readonly store: KeyStore,
	) {}

	/** Does something alone: other work with the same key waits, within this process. */
	async exclusively<T>(work: () => Promise<T>): Promise<T> {
		const { context, key, store } = this;
		const node = store.scope === 'node' ? context.getNode().id : '';
		return await inTurn(`key ${context.getWorkflow().id ?? ''} ${node} ${key}`, work);
	}

	/**
	 * Records the key.
	 *
	 * @returns whether it is new
	 * @throws if n8n cannot record it, e.g. for a workflow that was never saved
	 */
	async record(): Promise<boolean> {
		const { scope, ...options } = this.store;
		const { helpers } = this.context;
		const found = await oneByOne(async () => {
			return await helpers.checkProcessedAndRecord([this.key], scope, {
				mode: 'entries',
				...options,
			});
		});
		// Neither a new nor a known key: n8n keeps something else for this node or workflow.
		if (found.processed.length + found.new.length === 0)
			throw new Error('the key was not recorded');
		return found.processed.length === 0;
	}

	/** Forgets the key. @throws if n8n cannot */
	async forget(): Promise<void> {
		const { scope, ...options } = this.store;
		const { helpers } = this.context;
		await oneByOne(async () => {
			await helpers.removeProcessed([this.key], scope, { mode: 'entries', ...options });
		});
	}
}

/** n8n reads all keys, changes them and writes them back: of two calls at the same moment, one would be lost. */
const oneByOne = async <T>(call: () => Promise<T>): Promise<T> => await inTurn('keys', call);
