import { createHash } from 'node:crypto';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** What n8n's database has for a node or a workflow. */
interface Row {
	mode: string;
	data: string[];
}

/**
 * What n8n remembers beyond an execution, in memory instead of its database: each call reads a row, changes it, and
 * writes it back later, so that a second call in between is lost as in n8n.
 */
class Deduplicator implements IDataDeduplicator {
	private readonly rows = new Map<string, string>();

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const row = await this.read(scope, contextData);
		if (row && row.mode !== mode)
			throw new Error('Deduplication data was originally saved with an incompatible setting');
		const known = new Set(row?.data);
		const isKnown = (item: DeduplicationItemTypes) => known.has(hashOf(item));
		const fresh = items.filter((item) => !isKnown(item));
		const data = [...known, ...fresh.map(hashOf)];
		await this.write(scope, contextData, { mode, data: data.slice(-(maxEntries ?? data.length)) });
		return { new: fresh, processed: items.filter(isKnown) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		const row = await this.read(scope, contextData);
		if (!row) return;
		const removed = new Set(items.map(hashOf));
		const data = row.data.filter((hash) => !removed.has(hash));
		await this.write(scope, contextData, { ...row, data });
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		await Promise.resolve(this.rows.delete(rowOf(scope, contextData)));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<number> {
		return (await this.read(scope, contextData))?.data.length ?? 0;
	}

	private async read(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<Row | undefined> {
		const row = this.rows.get(rowOf(scope, contextData));
		await nextTurn();
		return row === undefined ? undefined : (JSON.parse(row) as Row);
	}

	private async write(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		row: Row,
	): Promise<void> {
		await nextTurn();
		this.rows.set(rowOf(scope, contextData), JSON.stringify(row));
	}
}

const nextTurn = async (): Promise<void> => {
	await new Promise((resolve) => setImmediate(resolve));
};

function rowOf(scope: DeduplicationScope, { node, workflow }: ICheckProcessedContextData): string {
	// n8n cannot keep anything for a workflow that was never saved.
	if (!workflow.id) throw new Error('The workflow has no ID');
	return scope === 'node' ? `${workflow.id} n:${node?.id ?? ''}` : workflow.id;
}

const hashOf = (item: DeduplicationItemTypes): string =>
	createHash('md5').update(String(item)).digest('base64');

let installed: Promise<void> | undefined;

/** Gives n8n's engine what its helpers for deduplication need, as n8n does when it starts. */
export async function installDeduplication(): Promise<void> {
	installed ??= install();
	await installed;
}

async function install(): Promise<void> {
	// n8n refuses a second one, but the test files of a process share n8n's engine, and each needs an empty one.
	Reflect.deleteProperty(DataDeduplicationService, 'instance');
	await DataDeduplicationService.init(new Deduplicator());
}
