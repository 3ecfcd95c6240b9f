import type { INodeProperties } from 'n8n-workflow';
import type { Collection } from '../parameters/collection';
import { optionsCollection } from './collections';

const MINUTE_MS = 60_000;

/** The option of an operation that starts a job: adding it waits. */
export const waitForCompletionField: INodeProperties = {
	displayName: 'Wait for Completion (Minutes)',
	name: 'waitForCompletionMinutes',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 10,
	description:
		'Wait until the service has finished processing, at most this long. Waiting starts once all items are sent, and the execution keeps running. waitResult in the output shows whether it has ended.',
};

/** The options of an operation that only reads. */
export const waitOptions: INodeProperties = optionsCollection([waitForCompletionField]);

/** A week. An expression could otherwise hold an execution open for ever. */
const MAX_MINUTES = 10_080;

/**
 * How long to wait, in milliseconds; undefined for not at all.
 *
 * @param name of an option in minutes
 * @throws NodeOperationError if it is not a duration, or longer than a week
 */
export function waitMs(
	options: Collection,
	name = waitForCompletionField.name,
): number | undefined {
	const minutes = options.number(name);
	if (minutes === undefined) return undefined;
	if (minutes > 0 && minutes <= MAX_MINUTES) return minutes * MINUTE_MS;
	throw options.invalidValue(name, 'a number above 0, up to 10,080 (a week)', minutes);
}
