/** The fingerprint of a row, which of its fields change by themselves, and whether it names a message. */
import type { IDataObject } from 'n8n-workflow';
import {
	markOf,
	namesMessage,
	volatileFields,
} from '../../../nodes/ConversationalMessaging/trigger/messages/rows.ts';

describe('the fingerprint of a row', () => {
	test('does not depend on the order of its fields', () => {
		expect(markOf({ a: 1, b: { c: [1], d: null } }, [])).toBe(
			markOf({ b: { d: null, c: [1] }, a: 1 }, []),
		);
	});

	test('is the same in every version: otherwise, an update reads the messages of all chats', () => {
		expect(markOf({ id: 'c1', messages: { count: 7 } }, [])).toBe(8_861_986);
	});

	test.each<[IDataObject, IDataObject]>([
		[{ a: 1 }, { a: 2 }],
		[{ a: 1 }, { a: '1' }],
		[{ a: null }, {}],
		[{ a: { b: 1 } }, { a: { b: 2 } }],
		[{ a: [1] }, { a: [1, 2] }],
		[{ a: '' }, { a: null }],
	])('%j differs from %j', (one, other) => {
		expect(markOf(one, [])).not.toBe(markOf(other, []));
	});

	test('leaves out fields that change by themselves', () => {
		expect(markOf({ a: 1, meta: { at: 1 } }, ['meta.at'])).toBe(
			markOf({ a: 1, meta: { at: 2 } }, ['meta.at']),
		);
	});

	const rows = (...all: IDataObject[]) => new Map(all.map((row, i) => [`c${i}`, row]));

	test('those differ in every row that is read again', () => {
		const before = rows({ a: 1, at: 1 }, { a: 2, at: 1 }, { a: 3, at: 1 });
		const after = rows({ a: 9, at: 2 }, { a: 9, at: 2 }, { a: 3, at: 2 });
		expect(volatileFields(before, after)).toEqual(['at']);
		expect(volatileFields(before, before)).toEqual([]);
	});

	test.each<[string, IDataObject, IDataObject, string]>([
		['the fourth level', { a: { b: { c: { d: 1 } } } }, { a: { b: { c: { d: 2 } } } }, 'a.b.c.d'],
		[
			'whatever is deeper',
			{ a: { b: { c: { d: { e: 1 } } } } },
			{ a: { b: { c: { d: { e: 2 } } } } },
			'a.b.c.d',
		],
		['a list', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, 'a'],
		['a field that comes and goes', { id: 1 }, { id: 1, a: null }, 'a'],
	])('%s has a name', (_name, one, other, path) => {
		expect(volatileFields(rows(one, one, one), rows(other, other, other))).toEqual([path]);
	});

	test('a chat that left its page says nothing', () => {
		const before = rows({ at: 1 }, { at: 1 }, { at: 1 });
		const after = rows({ at: 2 }, { at: 2 });
		expect(volatileFields(before, after)).toEqual([]);
	});

	test('two rows do not show it: both may have news', () => {
		expect(volatileFields(rows({ at: 1 }, { at: 1 }), rows({ at: 2 }, { at: 2 }))).toEqual([]);
	});
});

describe('whether a row names a message', () => {
	const TIME = '2026-01-15T09:00:00.000Z';
	const LATER = '2026-01-15T09:00:01.000Z';

	test.each<[row: IDataObject, message: IDataObject, isNamed: boolean]>([
		[{ title: 'Ada', lastId: 'm1' }, { id: 'm1' }, true],
		[{ lastMessage: { id: 'm1' } }, { id: 'm1' }, true],
		[{ lastId: 7 }, { id: '7' }, true],
		[{ lastId: 'm2' }, { id: 'm1' }, false],
		[{ title: 'Ada', lastAt: TIME }, { id: 'm1', createdAt: TIME }, true],
		[{ lastAt: Date.parse(TIME) / 1_000 }, { id: 'm1', createdAt: TIME }, true],
		[{ lastAt: LATER }, { id: 'm1', createdAt: TIME }, false],
		[{ title: 'Ada', lastId: null }, { id: 'm1' }, false],
		[{ title: 'Ada', lastId: null }, {}, false],
	])('%j, %j: %j', (row, message, isNamed) => {
		expect(namesMessage(row, message)).toBe(isNamed);
	});
});
