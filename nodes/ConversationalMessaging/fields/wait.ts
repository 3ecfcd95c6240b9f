import type { INodeProperties } from 'n8n-workflow';
import type { Group } from './parameters';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 10;

/** Wait for Completion and how long, among the options of an operation. */
export const waitFields: INodeProperties[] = [
	{
		displayName: 'Max Wait (Minutes)',
		name: 'maxWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MINUTES,
		description:
			'How long to wait for completion before the record is returned as it is then. Adding this option waits, unless Wait for Completion is off.',
	},
	{
		displayName: 'Wait for Completion',
		name: 'waitForCompletion',
		type: 'boolean',
		default: true,
		description: 'Whether to wait until the work in the background has ended',
	},
];

/** The options of an operation that does nothing but look. */
export const waitOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: waitFields,
};

/** How long to wait, in milliseconds; undefined when not at all. @throws NodeOperationError when it is no time */
export function maxWaitMs(options: Group): number | undefined {
	const limit = options.any('maxWaitMinutes');
	if (!(options.flag('waitForCompletion') ?? limit !== undefined)) return undefined;
	return maxWaitMsOrDefault(options);
}

/** How long to wait where there is a wait in any case, in milliseconds. @throws NodeOperationError when it is no time */
export function maxWaitMsOrDefault(options: Group): number {
	const minutes = Number(options.any('maxWaitMinutes') ?? DEFAULT_MINUTES);
	if (!(minutes > 0 && Number.isFinite(minutes)))
		throw options.invalid('Max Wait is not a number of minutes', 'Enter a number above 0.');
	return minutes * MINUTE_MS;
}
