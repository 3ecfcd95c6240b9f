import type { ServiceClient } from '../api/client';
import type { FailItem } from './operationContext';
import type { ItemResults, Output } from './output';
import { jsonOf } from './output';
import type { Results } from './results';
import { hasField, selectFields } from './selectedFields';

/** The items of one run, and what becomes of them. */
export class RunItems {
	/** The items that have not failed. */
	private readonly left: Set<number>;

	/**
	 * @param indexes of the items, in their order
	 * @param fieldNames the names of the fields to return; undefined for all
	 */
	constructor(
		private readonly indexes: number[],
		private readonly client: ServiceClient,
		private readonly results: Results,
		private readonly fieldNames: readonly string[] = [],
	) {
		this.left = new Set(indexes);
	}

	/** Fails one of them alone. */
	readonly failItem: FailItem = (position, error) => {
		const failed = this.indexes[position] as number;
		this.left.delete(failed);
		if (!this.results.fail(failed, error, this.client)) throw error;
	};

	/** Fails all that are left, unless one that failed alone has ended the run. */
	fail(error: unknown): void {
		if (this.left.size < this.indexes.length && this.results.isAborted) return;
		for (const index of this.left) this.results.fail(index, error, this.client);
	}

	/** Their requests have succeeded, and `settle` will be called with the output. */
	succeed(): void {
		this.results.succeed([...this.left], []);
	}

	/** What they return in the end. */
	settle(result: Output[] | ItemResults): void {
		if (Array.isArray(result)) {
			this.noticeUnknownFields(result);
			this.results.succeed([...this.left], result.map(this.selected));
			return;
		}
		const outputs = result.results.flatMap((one) => (one && 'output' in one ? one.output : []));
		this.noticeUnknownFields(outputs);
		for (const [position, one] of result.results.entries()) {
			const index = this.indexes[position] as number;
			if (one && 'output' in one) this.results.succeed([index], [this.selected(one.output)]);
			else if (one) this.results.fail(index, one.thrown, this.client);
		}
	}

	/** The output with the selected fields of its record only. */
	private readonly selected = (output: Output): Output =>
		this.fieldNames.length === 0
			? output
			: { ...output, json: selectFields(output.json, this.fieldNames) };

	/** A name that occurs nowhere is shown to the user, who may have misspelled it. */
	private noticeUnknownFields(outputs: Output[]): void {
		if (outputs.length === 0) return;
		for (const name of this.fieldNames) {
			if (!outputs.some((output) => hasField(jsonOf(output), name)))
				this.client.reporter.notify(`No returned item has the field ${name}. Check its name.`);
		}
	}
}
