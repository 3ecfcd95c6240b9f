/** What was done for each item of a sync, and how it is summed up. */
import {
	Outcomes,
	type SyncOutcome,
	type SyncResult,
} from '../../../../nodes/ConversationalMessaging/resources/contact/sync/outcomes.ts';
import type { SyncItem } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import type { OperationContext } from '../../../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { item } from './items.mts';

const ITEMS = ['1', '2'].map((key) => item(key)) as [SyncItem, SyncItem];
const done = (result: SyncResult, more: Partial<SyncOutcome> = {}): SyncOutcome => ({
	result,
	changes: [],
	...more,
});
const stopping = (throwIfStopped: () => void) =>
	({ throwIfStopped }) as unknown as OperationContext;
const error = new Error('no');

test.each<[summary: string, results: SyncResult[], failed: number]>([
	['0 created, 0 updated, 0 unchanged, 0 conflicts', [], 0],
	['1 created, 2 updated, 0 unchanged, 0 conflicts', ['created', 'updated', 'updated'], 0],
	['0 created, 0 updated, 1 unchanged, 1 conflict', ['conflict', 'unchanged'], 0],
	['0 created, 0 updated, 0 unchanged, 2 conflicts, 1 failed', ['conflict', 'conflict'], 1],
	[
		'0 created, 0 updated, 9,968 unchanged, 0 conflicts',
		Array.from({ length: 9_968 }, () => 'unchanged'),
		0,
	],
])('the results are counted: %s', (summary, results, failed) => {
	const items = Array.from({ length: results.length + failed }, () => item('1'));
	const outcomes = new Outcomes(items, true);
	for (const [position, result] of results.entries()) outcomes.set(items[position]!, done(result));
	for (const each of items.slice(results.length)) outcomes.fail(each, error);
	expect(outcomes.summary()).toBe(summary);
});

describe('an attempt', () => {
	const rejected = async () => await Promise.reject(error);

	test('during which the execution was stopped ends the run', async () => {
		const outcomes = new Outcomes(ITEMS, true);
		const stopped = new Error('stopped');
		const context = stopping(() => {
			throw stopped;
		});
		await expect(outcomes.attempt(context, ITEMS[0], rejected)).rejects.toBe(stopped);
		expect(outcomes.toResults(false).results[0]).toBeUndefined();
	});
});
