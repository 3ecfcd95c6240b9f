import { passOf } from '../../nodes/ConversationalMessaging/trigger/baseline.ts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { readMemory } from '../../nodes/ConversationalMessaging/trigger/version1.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A key as version 1 wrote it. */
function version1Key(id: string): string {
	const [high, low] = [Math.floor(keyOf(id) / 4096), keyOf(id) % 4096];
	const digits = [0, 1, 2, 3, 4].map((i) => Math.floor(high / 64 ** i) % 64);
	return [...digits, low % 64, low >> 6].map((digit) => ALPHABET[digit]).join('');
}

const MEMORY = {
	epoch: 't8',
	eventfulPolls: 6,
	whole: true,
	known: [
		`IN%0020PROGRESS 12 ${version1Key('A')}${version1Key('B')} T1 T%00202`,
		`CLOSED 0 ${version1Key('C')}`,
		'OPEN 1 ',
	],
};

test('the records of version 1 are read, and nothing else of its lists is known', () => {
	const { tracked, ...rest } = readMemory(MEMORY)!;
	expect(rest).toEqual({
		epoch: 't8',
		counts: {},
		exact: [],
		orders: {},
		backfill: { is: 'complete' },
		eventfulPolls: 6,
		rotation: 0,
		pageSize: 200,
		sweeps: {},
		cursors: { left: 0, unlisted: 0 },
	});
	const moving = { status: 'IN PROGRESS', changes: 12, recency: 0 };
	expect([...tracked.byId]).toEqual([
		['T1', moving],
		['T 2', moving],
	]);
	expect([...tracked.archived]).toEqual([
		[keyOf('A'), [moving]],
		[keyOf('B'), [moving]],
		[keyOf('C'), [{ status: 'CLOSED', changes: 0, recency: 0 }]],
	]);
});

test.each([
	['was read completely', { whole: true }, { is: 'complete' }],
	['was not read completely', { whole: false }, passOf(1)],
	['may have been read completely', { whole: 'yes' }, passOf(1)],
])('a list that %s', (_what, change, backfill) => {
	expect(readMemory({ ...MEMORY, ...change })!.backfill).toEqual(backfill);
});

test.each([[undefined], ['6'], [-1]])(
	'a number of polls that is %p counts as none',
	(eventfulPolls) => {
		expect(readMemory({ ...MEMORY, eventfulPolls })!.eventfulPolls).toBe(0);
	},
);

test.each<[what: string, memory: unknown]>([
	['nothing', undefined],
	['text', 'known'],
	['without records', { ...MEMORY, known: undefined }],
	['with records that are not texts', { ...MEMORY, known: [1] }],
	['without an epoch', { ...MEMORY, epoch: undefined }],
	['with a record without a status', { ...MEMORY, known: [' 1 '] }],
	['with a record without a number of changes', { ...MEMORY, known: ['OPEN'] }],
	['with another number of changes', { ...MEMORY, known: ['OPEN x1 '] }],
	['with a number of changes and more', { ...MEMORY, known: ['OPEN 1x '] }],
	['with keys that are cut off', { ...MEMORY, known: ['OPEN 1 ABCDEF'] }],
	['with keys of other characters', { ...MEMORY, known: ['OPEN 1 ABC.EFG'] }],
	['with keys that begin with other characters', { ...MEMORY, known: ['OPEN 1 .BCDEFG'] }],
	['with keys that end in other characters', { ...MEMORY, known: ['OPEN 1 ABCDEF.'] }],
])('a memory %s is invalid', (_what, memory) => {
	expect(readMemory(memory)).toBeUndefined();
});
