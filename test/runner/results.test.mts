/** How the results of input items become output items, and which failure ends a run. */
import { inspect } from 'node:util';
import {
	ExpressionError,
	type IDataObject,
	type IExecuteFunctions,
	NodeOperationError,
} from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { unexpected } from '../../nodes/ConversationalMessaging/api/errors.ts';
import type { Output } from '../../nodes/ConversationalMessaging/runner/output.ts';
import { Results } from '../../nodes/ConversationalMessaging/runner/results.ts';
import { NODE } from '../support/node.mts';

/** The results of a run with this many input items. */
function resultsOf(
	count: number,
	{ continueOnFail = false, retryOnFail }: { continueOnFail?: boolean; retryOnFail?: boolean } = {},
): Results {
	return new Results({
		getInputData: () => Array(count).fill({ json: {} }),
		continueOnFail: () => continueOnFail,
		getNode: () => ({ ...NODE, retryOnFail }),
	} as unknown as IExecuteFunctions);
}

const outputs = (...jsons: IDataObject[]): Output[] => jsons.map((json) => ({ json }));

const invalid = (message: string, description?: string) =>
	new NodeOperationError(NODE, message, { description });

const thrownBy = (action: () => void): NodeOperationError => {
	try {
		action();
	} catch (error) {
		return error as NodeOperationError;
	}
	throw new Error('Nothing was thrown');
};

describe('output items', () => {
	test.each([
		[1_000, 1_000, true],
		[1_000, 1_001, false],
	])('of a batch of %i items with %i outputs are paired: %s', async (items, count, arePaired) => {
		const results = resultsOf(items);
		const one = { json: {} };
		await results.succeed([...Array(items).keys()], Array<Output>(count).fill(one));
		expect(results.all().every(({ pairedItem }) => (pairedItem !== undefined) === arePaired)).toBe(
			true,
		);
	});
});

test('n8n has a turn after every 20,000 of them', async () => {
	const turns = jest.spyOn(clock, 'yieldToOthers').mockResolvedValue();
	const results = resultsOf(1);
	await results.succeed([0], Array<Output>(100_001).fill({ json: {} }));
	expect([turns.mock.calls.length, results.all().length]).toStrictEqual([5, 100_001]);
	turns.mockRestore();
});

test('an output item has the fields that the node adds, in place of those of the service', async () => {
	const results = resultsOf(1);
	await results.succeed([0], [{ json: { id: 'a', sent: 'x' }, addedFields: { sent: true } }]);
	expect(results.all()[0]!.json).toStrictEqual({ id: 'a', sent: true });
});

/** With Retry On Fail, n8n repeats all items because of it; with On Error → Continue, it moves the item to the error output. */
describe('a field called error', () => {
	const RETRY = { retryOnFail: true };
	const CONTINUE = { continueOnFail: true };

	test.each<[settings: object, json: IDataObject, expected: IDataObject]>([
		[RETRY, { error: 'x', id: 1 }, { serviceError: 'x', id: 1 }],
		[RETRY, { id: 1 }, { id: 1 }],
		[CONTINUE, { message: 'm', error: 'x' }, { message: 'm', serviceError: 'x' }],
		[CONTINUE, { error: 'x', row: 1 }, { error: 'x', row: 1 }],
		[{}, { error: 'x' }, { error: 'x' }],
	])('with %j, %j becomes %j', async (settings, json, expected) => {
		const results = resultsOf(1, settings);
		await results.succeed([0], outputs(json));
		expect(results.all()[0]!.json).toStrictEqual(expected);
	});
});

describe('a failure says how many items had succeeded', () => {
	test('unless none has', () => {
		const results = resultsOf(3);
		results.fail(2, invalid('No', 'Correct it.'));
		expect(thrownBy(() => results.throwIfFailed(false)).description).toBe('Correct it.');
	});

	test('and what else there is to say about the run', () => {
		const results = resultsOf(1);
		results.fail(0, invalid('No', 'Correct it.'));
		expect(thrownBy(() => results.throwIfFailed(false, ['One', 'Two.'])).description).toBe(
			'Correct it. One. Two.',
		);
	});

	test('and not those of which another output came before they failed', async () => {
		const results = resultsOf(3);
		await results.succeed([0, 1], outputs({ id: 'sent' }));
		await results.succeed([0], outputs({ id: 'replied' }));
		results.fail(1, invalid('No'));
		expect(thrownBy(() => results.throwIfFailed(false)).description).toMatch(/^1 of 3 items/);
	});
});

test.each<[what: string, others: (results: Results) => unknown, words: string]>([
	['no other', () => true, 'Nothing was sent'],
	[
		'one that succeeded',
		async (results) => await results.succeed([0], []),
		'This item was not sent',
	],
	[
		'one that failed in its own way',
		(results) => results.fail(2, invalid('Lost')),
		'This item was not sent',
	],
])('beside %s, an item speaks of the run or of itself', async (_what, others, words) => {
	for (const rest of ['. Enter it.', ', because it is late.']) {
		const results = resultsOf(3);
		await others(results);
		results.fail(1, invalid('No', `Nothing was sent${rest}`));
		const { description } = thrownBy(() => results.throwIfFailed(false));
		expect(description?.slice(0, (words + rest).length)).toBe(words + rest);
	}
});

describe('before anything is sent, a failure names all items that cannot be used', () => {
	const NOTHING_SENT = 'Item numbers start at 0. Nothing was sent.';
	const RUN_OTHERS =
		'To run the other items, set On Error to Continue in the settings of this node.';
	test.each<[count: number, description: string]>([
		[1, `Correct it. Nothing was sent. ${RUN_OTHERS}`],
		[2, `Correct it. Item 1 cannot be used either. ${NOTHING_SENT} ${RUN_OTHERS}`],
		[
			20,
			`Correct it. Items 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 9 more cannot be used either. ${NOTHING_SENT}`,
		],
	])('of %i', (count, description) => {
		const results = resultsOf(20);
		for (let index = 0; index < count; index++) results.fail(index, invalid('No', 'Correct it.'));
		expect(thrownBy(() => results.throwIfUnusable()).description).toBe(description);
	});
});

test('the token is removed from message, description and stack of an error, whoever threw it', () => {
	const error = invalid('WA_PK_SECRET is no number', 'Check "wa_pk_secret".');
	// Written when it is read for the first time.
	expect(error.stack).toContain('WA_PK_SECRET is no number');
	resultsOf(1).fail(0, error);
	expect([error.message, error.description]).toStrictEqual(['*** is no number', 'Check "***".']);
	expect(error.stack).toContain('*** is no number');
	expect(error.stack).not.toContain('SECRET');
});

test('what n8n or this package throws by chance is nowhere as it came, also where n8n stores and shows more of an error', () => {
	const foreign = 'ENOENT wa_pk_secret <a href="x">\n2026-11-23 | error | forged';
	const thrown: unknown[] = [
		Object.assign(new Error(foreign), { description: foreign }),
		new ExpressionError(foreign, { description: foreign, nodeCause: 'Edit Fields' }),
		{ message: foreign, description: { foreign } },
		undefined,
	];
	for (const one of thrown) {
		const error = unexpected(NODE, one);
		expect(error.message).toMatch(one === undefined ? /^$/ : /^ENOENT \*\*\* ‹a/);
		for (const text of [JSON.stringify(error), inspect(error), error.stack, ...error.messages])
			expect(text).not.toMatch(/secret|<a href|\n2026|\\n2026/);
	}
	expect(unexpected(NODE, thrown[1]).context).toMatchObject({ nodeCause: 'Edit Fields' });
});

test('what n8n or this package throws by chance is shown like a foreign text', () => {
	const results = resultsOf(1, { continueOnFail: true });
	results.fail(0, new RangeError(`<a href="x">\u001b[31m\n${'long '.repeat(1_000)}`));
	const { error } = results.all()[0]!.json as { error: string };
	expect(error).toMatch(/^‹a href="x">\[31m long/);
	expect(error).toHaveLength(400);
});
