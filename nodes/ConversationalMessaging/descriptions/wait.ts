import type { INodeProperties } from 'n8n-workflow';
import type { Collection } from '../parameters/collection';
import { numberField, toggleField } from './basicFields';
import { optionsCollection } from './collections';

const MINUTE_MS = 60_000;

/** The option of an operation that starts a job: adding it waits. */
export const waitForCompletionField = numberField(
	'Wait for Completion (Minutes)',
	'waitForCompletionMinutes',
	{
		typeOptions: { minValue: 1 },
		default: 10,
		description:
			'Wait until the service has finished, at most this long. The execution keeps running. waitResult in the output shows whether it has ended, and succeeded whether all of it succeeded.',
	},
);

/** The same operations can fail an item because of its job. */
export const requireSuccessField = toggleField('Require Success', 'requireSuccess', {
	description:
		'Whether the item fails unless all of it is known to have succeeded. Waits at most 10 minutes, unless you add Wait for Completion (Minutes). Leave Retry On Fail off, because it would start the job again.',
});

/** The options of an operation that reads a job. */
export const waitOptions: INodeProperties = optionsCollection([
	{
		...requireSuccessField,
		description:
			'Whether the item fails unless all of it is known to have succeeded. Waits at most 10 minutes, unless you add Wait for Completion (Minutes).',
	},
	waitForCompletionField,
]);

export interface JobWait {
	maxMs: number;
	requiresSuccess: boolean;
}

/** How long options that need the end of a job wait without Wait for Completion. */
const DEFAULT_WAIT_MS = 600_000;

/**
 * How to wait for a job; undefined for not at all.
 *
 * @param isNeeded whether another option needs its end
 * @throws NodeOperationError for a wait that is no duration, or longer than a week
 */
export function jobWait(options: Collection, isNeeded = false): JobWait | undefined {
	const requiresSuccess = options.boolean(requireSuccessField.name) === true;
	const maxMs = readWaitMs(options) ?? (isNeeded || requiresSuccess ? DEFAULT_WAIT_MS : undefined);
	return maxMs === undefined ? undefined : { maxMs, requiresSuccess };
}

/** A week. An expression could otherwise hold an execution open for ever. */
const MAX_MINUTES = 10_080;

/**
 * How long to wait, in milliseconds; undefined for not at all.
 *
 * @param name of an option in minutes
 * @throws NodeOperationError if it is not a duration, or longer than a week
 */
export function readWaitMs(
	options: Collection,
	name = waitForCompletionField.name,
): number | undefined {
	const minutes = options.number(name);
	if (minutes === undefined) return undefined;
	if (minutes > 0 && minutes <= MAX_MINUTES) return minutes * MINUTE_MS;
	throw options.invalidValue(name, 'a number above 0, up to 10,080 (a week)', minutes);
}
