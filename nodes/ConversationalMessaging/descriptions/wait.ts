import type { INodeProperties } from 'n8n-workflow';
import type { Collection } from '../parameters/collection';
import { optionsCollection } from './collections';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 10;

/** Wait for Completion and Max Wait, for the options of an operation. */
export const waitFields: INodeProperties[] = [
	{
		displayName: 'Max Wait (Minutes)',
		name: 'maxWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MINUTES,
		description:
			'How long to wait before returning the current state. Adding this option also turns on waiting, unless Wait for Completion is off.',
	},
	{
		displayName: 'Wait for Completion',
		name: 'waitForCompletion',
		type: 'boolean',
		default: true,
		description: 'Whether to wait until the service has finished processing',
	},
];

/** The options of an operation that only reads. */
export const waitOptions: INodeProperties = optionsCollection(waitFields);

/** How long to wait, in milliseconds; undefined for not at all. @throws NodeOperationError if it is not a duration */
export function maxWaitMs(options: Collection): number | undefined {
	const isLimited = options.number('maxWaitMinutes') !== undefined;
	if (!(options.boolean('waitForCompletion') ?? isLimited)) return undefined;
	return maxWaitMsOrDefault(options);
}

/** How long to wait if waiting is required, in milliseconds. @throws NodeOperationError if it is not a duration */
export function maxWaitMsOrDefault(options: Collection): number {
	const minutes = options.number('maxWaitMinutes') ?? DEFAULT_MINUTES;
	if (!(minutes > 0)) throw options.invalidValue('maxWaitMinutes', 'a number above 0', minutes);
	return minutes * MINUTE_MS;
}
