import type { IDataObject } from 'n8n-workflow';
import { withoutUndefined } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import type { ItemResult, ItemResults } from '../../../runner/output';
import type { SyncItem } from './item';

/** What was done for an item. `conflict`: nothing, because a person has to decide. */
export type SyncResult = 'created' | 'updated' | 'unchanged' | 'conflict';

export interface SyncOutcome {
	result: SyncResult;
	/** Undefined if there is none yet, or several. */
	contactId?: string;
	/** What was changed; nothing for `unchanged` and `conflict`. */
	changes: ChangedValue[];
	/** Why it is a conflict. */
	reason?: string;
	/** Why the segment is not as it should be, although the contact is. */
	segmentReason?: string;
}

export interface ChangedValue extends IDataObject {
	/** A name of the service, e.g. "name", or "segment". Custom fields have a label instead. */
	field?: string;
	customField?: string;
	from: IDataObject[string];
	to: IDataObject[string];
}

/** The outcomes of the items of a run, in their order. */
export class Outcomes {
	private readonly outcomes: Map<SyncItem, SyncOutcome | undefined>;
	private readonly thrown = new Map<SyncItem, unknown>();

	constructor(
		items: SyncItem[],
		private readonly continuesOnFail: boolean,
	) {
		this.outcomes = new Map(items.map((item) => [item, undefined]));
	}

	/** Whether nothing more is to be sent, because an item failed and the node does not continue. */
	get isAborted(): boolean {
		return this.thrown.size > 0 && !this.continuesOnFail;
	}

	/** Whether an item is a conflict, failed, or could not be added to the segment. */
	get isUnsettled(): boolean {
		const isUnsettled = ({ result, segmentReason }: SyncOutcome) =>
			result === 'conflict' || segmentReason !== undefined;
		return this.thrown.size > 0 || this.entries().some(([, outcome]) => isUnsettled(outcome));
	}

	/** Of the items that have not failed. */
	entries(): [item: SyncItem, outcome: SyncOutcome][] {
		return [...this.outcomes].filter(
			(entry): entry is [SyncItem, SyncOutcome] => entry[1] !== undefined,
		);
	}

	set(item: SyncItem, outcome: SyncOutcome): void {
		this.outcomes.set(item, outcome);
	}

	fail(item: SyncItem, error: unknown): void {
		this.outcomes.set(item, undefined);
		this.thrown.set(item, error);
	}

	/** The contact of an item was added to the segment, so it is not unchanged. */
	addToSegment(item: SyncItem, segmentId: string): void {
		const outcome = this.outcomes.get(item);
		if (!outcome) return;
		if (outcome.result === 'unchanged') outcome.result = 'updated';
		outcome.changes.push({ field: 'segment', from: null, to: segmentId });
	}

	setSegmentReason(item: SyncItem, reason: string): void {
		const outcome = this.outcomes.get(item);
		if (outcome) outcome.segmentReason = reason;
	}

	/** Does something for an item, unless the run has ended. What it throws is the result of the item. */
	async attempt(
		context: OperationContext,
		item: SyncItem,
		action: () => Promise<SyncOutcome>,
	): Promise<void> {
		if (this.isAborted) return;
		try {
			this.set(item, await action());
		} catch (error) {
			context.throwIfStopped();
			this.fail(item, error);
		}
	}

	/** "12 created, 20 updated, 9,968 unchanged, 0 conflicts" */
	summary(): string {
		const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0 };
		for (const [, { result }] of this.entries()) counts[result]++;
		const { created, updated, unchanged, conflict } = counts;
		const failed = this.thrown.size;
		return [
			`${numberText(created)} created`,
			`${numberText(updated)} updated`,
			`${numberText(unchanged)} unchanged`,
			`${numberText(conflict)} ${conflict === 1 ? 'conflict' : 'conflicts'}`,
			...(failed > 0 ? [`${numberText(failed)} failed`] : []),
		].join(', ');
	}

	/** The output items, in the order of the input. */
	toResults(isDryRun: boolean): ItemResults {
		return { results: [...this.outcomes.keys()].map((item) => this.resultOf(item, isDryRun)) };
	}

	private resultOf(item: SyncItem, isDryRun: boolean): ItemResult {
		if (this.thrown.has(item)) return { thrown: this.thrown.get(item) };
		const outcome = this.outcomes.get(item);
		if (!outcome) return undefined;
		const { key } = item;
		const { reason, contactId, changes, segmentReason } = outcome;
		// Nothing was done for it, and the error of another item ends the run.
		if (this.isAborted && outcome.result === 'conflict') return undefined;
		const result = isDryRun ? DRY_RUN_RESULTS[outcome.result] : outcome.result;
		const json = { result, key, reason, contactId, changes, segmentReason };
		return { output: { json: withoutUndefined(json) } };
	}
}

const DRY_RUN_RESULTS: Record<SyncResult, string> = {
	created: 'wouldCreate',
	updated: 'wouldUpdate',
	unchanged: 'unchanged',
	conflict: 'conflict',
};

/** "9,968" */
export const numberText = (count: number): string => count.toLocaleString('en');
