import type { IDataObject } from 'n8n-workflow';
import { withoutUndefined } from '../../../parameters/values';
import type { OperationContext } from '../../../runner/operationContext';
import type { ItemResult } from '../../../runner/output';
import { ItemResults } from '../../../runner/output';
import type { Difference } from './differences';
import type { SyncItem } from './item';

/**
 * What was done for an item. `conflict`: nothing, because a person has to decide. `pending`: an import job was started
 * or is active, and it is unknown whether it has created the contact.
 */
export type SyncResult = 'created' | 'updated' | 'unchanged' | 'conflict' | 'pending';

export interface Outcome {
	result: SyncResult;
	/** Undefined if there is none yet, or several. */
	contactId?: string;
	/** The segments of the contact before; undefined if they are unknown. */
	segmentIds?: string[];
	/** What was changed; nothing for `unchanged` and `conflict`. */
	changes: Change[];
	/** Why it is a conflict or pending. */
	reason?: string;
	/** The import job that creates the contact. */
	importId?: string;
}

/** A changed value, in the output. */
export interface Change extends IDataObject {
	/** A name of the service, e.g. "name", or "segment". Custom fields have a label instead. */
	field?: string;
	/** The label of a custom field. */
	customField?: string;
	from: IDataObject[string];
	to: IDataObject[string];
}

export const toChanges = (differences: Difference[]): Change[] =>
	differences.map(({ field, isCustom, from, to }) => ({
		...(isCustom ? { customField: field } : { field }),
		from: from as IDataObject[string],
		to: to === '' ? null : to,
	}));

export const conflictOutcome = (reason: string, contactId?: string): Outcome => ({
	result: 'conflict',
	contactId,
	changes: [],
	reason,
});

/** The outcomes of the items of a run, by their positions in it. */
export class Outcomes {
	private readonly outcomes: (Outcome | undefined)[] = [];

	private readonly thrown = new Map<number, unknown>();

	constructor(
		private readonly items: SyncItem[],
		private readonly continuesOnFail: boolean,
	) {}

	/** Whether nothing more is to be sent, because an item failed and the node does not continue. */
	isAborted(): boolean {
		return this.thrown.size > 0 && !this.continuesOnFail;
	}

	get(position: number): Outcome | undefined {
		return this.outcomes[position];
	}

	set(position: number, outcome: Outcome): void {
		this.outcomes[position] = outcome;
	}

	fail(positions: number[], thrown: unknown): void {
		for (const position of positions) {
			this.outcomes[position] = undefined;
			this.thrown.set(position, thrown);
		}
	}

	/** Does something for items, unless the run has ended. What it throws is the result of these items. */
	async attempt(
		context: OperationContext,
		positions: number[],
		action: () => Promise<void>,
	): Promise<void> {
		if (this.isAborted()) return;
		try {
			await action();
		} catch (error) {
			context.throwIfStopped();
			this.fail(positions, error);
		}
	}

	/** "12 created, 20 updated, 9,968 unchanged, 0 conflicts" */
	summary(): string {
		const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0, pending: 0 };
		for (const outcome of this.outcomes) if (outcome) counts[outcome.result]++;
		const { created, updated, unchanged, conflict, pending } = counts;
		const rejected = this.thrown.size;
		return [
			`${numberText(created)} created`,
			`${numberText(updated)} updated`,
			`${numberText(unchanged)} unchanged`,
			`${numberText(conflict)} ${conflict === 1 ? 'conflict' : 'conflicts'}`,
			...(pending > 0 ? [`${numberText(pending)} pending`] : []),
			...(rejected > 0 ? [`${numberText(rejected)} failed`] : []),
		].join(', ');
	}

	/** The output items. */
	toResults(isDryRun: boolean): ItemResults {
		return new ItemResults(
			this.items.map((item, position) => this.resultOf(item, position, isDryRun)),
		);
	}

	private resultOf(item: SyncItem, position: number, isDryRun: boolean): ItemResult {
		if (this.thrown.has(position)) return { thrown: this.thrown.get(position) };
		const outcome = this.outcomes[position];
		if (!outcome) return undefined;
		const { result, contactId, changes, reason, importId } = outcome;
		const dryRun = isDryRun || undefined;
		const json = withoutUndefined({
			result,
			key: item.key,
			contactId,
			changes,
			reason,
			importId,
			dryRun,
		});
		return { output: { json } };
	}
}

/** "9,968" */
export const numberText = (count: number): string => count.toLocaleString('en');
