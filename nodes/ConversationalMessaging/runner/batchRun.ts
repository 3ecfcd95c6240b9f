import { shown } from '../api/access/shown';
import { inTurns } from '../api/base/concurrency';
import type { ServiceClient } from '../api/client';
import { afterWrite } from '../api/errors';
import { addAllFieldValues } from '../api/response/contact';
import { requestInfoOf, writes } from './operation';
import { type FailItem, OperationContext } from './operationContext';
import { type ItemResults, type Output, type Sent, jsonOf, withFields } from './output';
import type { PreparedItem } from './prepare';
import type { Results } from './results';
import { hasField, selectFields } from './selectedFields';

/** The run of an operation for a batch: one item, or several that run as one. */
export class BatchRun {
	private readonly first: PreparedItem;
	private readonly left: Set<number>;
	private readonly context: OperationContext;
	/** What was sent, if the run waits. */
	private sent?: Sent<unknown>;

	constructor(
		private readonly items: PreparedItem[],
		client: ServiceClient,
		private readonly results: Results,
	) {
		this.first = items[0] as PreparedItem;
		this.left = new Set(items.map(({ index }) => index));
		const info = requestInfoOf(this.first.operation);
		this.context = new OperationContext(client, info, this.failItem);
	}

	get waits(): boolean {
		return this.sent !== undefined;
	}

	async send(): Promise<void> {
		const { steps, plan } = this.first;
		const inputs = this.items.flatMap(({ batch }) => (batch ? [batch.input] : []));
		await this.attempt(async () => {
			const result = await steps.run(this.context, plan, inputs);
			if (!('outputs' in result)) {
				await this.settle(result);
				return;
			}
			const outputs = withFields(result.outputs, result.kept);
			if (result.pending === undefined) {
				await this.settle(outputs);
				return;
			}
			this.sent = { ...result, outputs };
			// Already counted as succeeded: if another item fails before the wait, the error says that a new run repeats this one.
			await this.results.succeed([...this.left], []);
		});
	}

	/** To be called once the requests of all items have been sent. */
	async wait(): Promise<void> {
		const { pending, outputs, kept } = this.sent as Sent<unknown>;
		const { steps, plan } = this.first;
		await this.attempt(async () => {
			const awaited = await steps.wait?.(this.context, plan, pending, outputs);
			await this.settle(awaited ? withFields(awaited, kept) : outputs);
		});
	}

	private async attempt(step: () => Promise<void>): Promise<void> {
		await step().catch((error: unknown) => {
			const shown = writes(this.first.operation)
				? afterWrite(this.context.n8n.getNode(), error)
				: error;
			for (const index of this.left) this.results.fail(index, shown);
		});
	}

	private readonly failItem: FailItem = (position, error) => {
		const { index } = this.items[position] as PreparedItem;
		// Not recorded yet: a preview shows it instead.
		if (!this.results.continueOnFail) throw this.results.errorOf(index, error);
		this.left.delete(index);
		this.results.fail(index, error);
	};

	private async settle(result: Output[] | ItemResults): Promise<void> {
		if (Array.isArray(result)) {
			const records = result.map(({ json }) => json);
			await addAllFieldValues(records, this.first.operation.endpoint);
			this.noticeUnknownFields(result);
			await this.results.succeed([...this.left], result.map(this.selected));
			return;
		}
		this.noticeUnknownFields(
			result.results.flatMap((one) => (one && 'output' in one ? one.output : [])),
		);
		for await (const [position, one] of inTurns(result.results.entries())) {
			const { index } = this.items[position] as PreparedItem;
			if (one && 'output' in one) await this.results.succeed([index], [this.selected(one.output)]);
			else if (one) this.results.fail(index, one.thrown);
		}
	}

	private readonly selected = (output: Output): Output => {
		const { fieldNames } = this.first;
		return fieldNames ? { ...output, json: selectFields(output.json, fieldNames) } : output;
	};

	/** A name that occurs nowhere is shown to the user, who may have misspelled it. */
	private noticeUnknownFields(all: Output[]): void {
		// Without a record, nothing shows which fields it has.
		const outputs = all.filter(({ addedFields }) => addedFields?.recordReturned !== false);
		if (outputs.length === 0) return;
		for (const name of this.first.fieldNames ?? []) {
			if (!outputs.some((output) => hasField(jsonOf(output), name)))
				this.context.notify(shown`No returned item has the field ${name}. Check its name.`);
		}
	}
}
