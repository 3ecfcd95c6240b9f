import type { ServiceClient } from '../api/client';
import { outputFieldNames } from '../descriptions/outputFields';
import type { Parameters, ItemSetting } from '../parameters/parameters';
import type { Batch } from './batch';
import { type Operation, type Steps, orderingKeyOf, returnsRecords } from './operation';
import { stepsOf } from './steps';

/** An item with its credential and its parameters read. Only the requests are left. */
export interface PreparedItem {
	/** Its index in the input, from 0. */
	index: number;
	client: ServiceClient;
	operation: Operation;
	steps: Steps;
	/** What its `prepare` returned. */
	plan: unknown;
	/** Items with the same key run one after another. */
	orderingKey?: string;
	/** Items with the same key run as one batch. */
	batch?: Batch<unknown> & {
		/** What must be the same in all items. */
		settings: ItemSetting[];
	};
	/** The names of the fields to return; undefined for all. */
	fieldNames?: string[];
}

/** Reads the parameters of one item. @throws NodeOperationError for a parameter; nothing has been sent by then */
export function prepare(
	operation: Operation,
	parameters: Parameters,
	client: ServiceClient,
): PreparedItem {
	const steps = stepsOf(operation);
	const orderingKey = orderingKeyOf(operation)?.(parameters);
	const plan = steps.prepare(parameters);
	const batch = steps.batch?.(plan);
	return {
		index: parameters.itemIndex,
		client,
		operation,
		steps,
		plan,
		orderingKey,
		batch: batch && {
			...batch,
			key: `${operation.action} ${batch.key}`,
			settings: parameters.itemSettings(batch.perItem),
		},
		fieldNames: returnsRecords(operation) ? outputFieldNames(parameters) : undefined,
	};
}
