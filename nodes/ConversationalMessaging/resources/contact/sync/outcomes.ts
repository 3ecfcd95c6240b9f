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

/** A changed value, in the output. */
export interface ChangedValue extends IDataObject {
	/** A name of the service, e.g. "name", or "segment". Custom fields have a label instead. */
	field?: string;
	/** The label of a custom field. */
	customField?: string;
	from: IDataObject[string];
	to: IDataObject[string];
}

/** The outcomes of the items of a run, by their positions in it. */
export class Outcomes {
	private readonly outcomes: (SyncOutcome | undefined)[] = [];

	private readonly thrown = new Map<number, unknown>();

	constructor(
		private readonly items: SyncItem[],
		private readonly continuesOnFail: boolean,
	) {}

	/** Whether nothing more is to be sent, because an item failed and the node does not continue. */
	get isAborted(): boolean {
		return this.thrown.size > 0 && !this.continuesOnFail;
	}

	/** Whether an item is a conflict, failed, or could not be added to the segment. */
	get isUnsettled(): boolean {
		const isUnsettled = ({ result, segmentReason }: SyncOutcome) =>
			result === 'conflict' || segmentReason !== undefined;
		return this.thrown.size > 0 || this.outcomes.some((one) => one && isUnsettled(one));
	}

	/** The items that have not failed, by their positions. */
	entries(): [position: number, outcome: SyncOutcome][] {
		return [...this.outcomes.entries()].filter(
			(entry): entry is [number, SyncOutcome] => entry[1] !== undefined,
		);
	}

	set(position: number, outcome: SyncOutcome): void {
		this.outcomes[position] = outcome;
	}

	fail(position: number, error: unknown): void {
		this.outcomes[position] = undefined;
		this.thrown.set(position, error);
	}

	/** The contact of an item was added to the segment, so it is not unchanged. */
	addToSegment(position: number, segmentId: string): void {
		const outcome = this.outcomes[position];
		if (!outcome) return;
		if (outcome.result === 'unchanged') outcome.result = 'updated';
		outcome.changes.push({ field: 'segment', from: null, to: segmentId });
	}

	setSegmentReason(position: number, reason: string): void {
		const outcome = this.outcomes[position];
		if (outcome) outcome.segmentReason = reason;
	}

	/** Does something for an item, unless the run has ended. What it throws is the result of the item. */
	async attempt(
		context: OperationContext,
		position: number,
		action: () => Promise<SyncOutcome>,
	): Promise<void> {
		if (this.isAborted) return;
		try {
			this.set(position, await action());
		} catch (error) {
			context.throwIfStopped();
			this.fail(position, error);
		}
	}

	/** "12 created, 20 updated, 9,968 unchanged, 0 conflicts" */
	summary(): string {
		const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0 };
		for (const outcome of this.outcomes) if (outcome) counts[outcome.result]++;
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

	/** The output items. */
	toResults(isDryRun: boolean): ItemResults {
		return {
			results: this.items.map((item, position) => this.resultOf(item, position, isDryRun)),
		};
	}

	private resultOf({ key }: SyncItem, position: number, isDryRun: boolean): ItemResult {
		if (this.thrown.has(position)) return { thrown: this.thrown.get(position) };
		const outcome = this.outcomes[position];
		if (!outcome) return undefined;
		const { reason, contactId, changes, segmentReason } = outcome;
		// Nothing was done for it, and the error of another item ends the run.
		if (this.isAborted && outcome.result === 'conflict') return undefined;
		const result = isDryRun ? DRY_RUN_RESULTS[outcome.result] : outcome.result;
		const json = { result, key, reason, contactId, changes, segmentReason };
		return { output: { json: withoutUndefined(json) } };
	}
}

/** What a dry run calls them. */
const DRY_RUN_RESULTS: Record<SyncResult, string> = {
	created: 'wouldCreate',
	updated: 'wouldUpdate',
	unchanged: 'unchanged',
	conflict: 'conflict',
};

/** "9,968" */
export const numberText = (count: number): string => count.toLocaleString('en');
