import {
	ItemResults,
	jsonOf,
	lacksRecord,
	outputOf,
	toOutput,
} from '../../nodes/ConversationalMessaging/runner/output.ts';

const output = (json: unknown) =>
	outputOf({ status: 200, headers: {}, text: '', json }, 'POST /tickets').map(jsonOf);

describe('the output items of a response', () => {
	test.each<[name: string, json: unknown, items: unknown[]]>([
		['a record', { success: true, data: { id: 't1' } }, [{ id: 't1' }]],
		['a record under its name', { data: { ticket: { id: 't1' } } }, [{ id: 't1' }]],
		['a record without an envelope', { id: 't1' }, [{ id: 't1' }]],
		['a list', { data: [{ id: 't1' }, { id: 't2' }] }, [{ id: 't1' }, { id: 't2' }]],
		['a list of values', { data: ['a', 7] }, [{ data: 'a' }, { data: 7 }]],
		['a list of one', { data: [{ id: 't1' }] }, [{ id: 't1' }]],
		// Every input item has at least one output item.
		['an empty list', { data: [] }, [{ data: [] }]],
		['text', { data: 'queued' }, [{ data: 'queued' }]],
		['a number', { data: 0 }, [{ data: 0 }]],
		['false', { data: false }, [{ data: false }]],
		['null', { success: true, data: null }, [{ success: true }]],
		['null without a success', { data: null }, [{ success: true }]],
		['null, and no success', { success: false, data: null }, [{ success: false }]],
		['nothing', undefined, [{ success: true }]],
		['null without an envelope', null, [{ success: true }]],
	])('%s', (_name, json, items) => {
		expect(output(json)).toEqual(items);
	});
});

test('of a read without data shows that there was none', () => {
	const none = { status: 200, headers: {}, text: '', json: { success: true, data: null } };
	expect(outputOf(none, 'GET /chats/session')).toEqual([{ json: { data: null } }]);
	expect(lacksRecord(none, 'GET /chats/session')).toBe(false);
	expect(lacksRecord(none, 'GET /tickets/{id}')).toBe(true);
	expect(lacksRecord(none, 'POST /tickets')).toBe(false);
	for (const json of [
		{ data: [] },
		{ data: {} },
		{ data: 'x' },
		{ success: true },
		{ data: { ticket: null } },
	])
		expect(lacksRecord({ ...none, json }, 'GET /tickets/{id}')).toBe(true);
	for (const json of [
		{ data: { id: 1 } },
		{ id: 1 },
		{ data: [{ id: 1 }] },
		{ data: { ticket: {} } },
	])
		expect(lacksRecord({ ...none, json }, 'GET /tickets/{id}')).toBe(false);
});

test.each<[row: unknown, json: object]>([
	[{ id: 1 }, { id: 1 }],
	[['a'], { data: ['a'] }],
	['a', { data: 'a' }],
	[null, { data: null }],
])('the row %j becomes the item %j', (row, json) => {
	expect(toOutput(row)).toEqual({ json });
});

describe('the results of a batch', () => {
	const error = new Error('no');
	const results = new ItemResults([{ output: { json: { id: 1 } } }, { thrown: error }, undefined]);

	test('have the output items of those that succeeded', () => {
		expect(results.outputs()).toEqual([{ json: { id: 1 } }]);
	});

	test('keep their places and errors when the output items are changed', () => {
		const changed = results.changed(({ json }) => ({ json: { ...json, more: true } }));
		expect(changed.results).toEqual([
			{ output: { json: { id: 1, more: true } } },
			{ thrown: error },
			undefined,
		]);
	});
});
