/** What is shortened first, and how much of it: exact drafts of a few records. */
import { type Draft, fit } from '../../nodes/ConversationalMessaging/trigger/fitting.ts';
import { KEY_BITS, keyOf, shortened } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { LIMITS } from '../../nodes/ConversationalMessaging/trigger/limits.ts';
import { orderText } from '../../nodes/ConversationalMessaging/trigger/orderText.ts';
import { type Group, textOf } from '../../nodes/ConversationalMessaging/trigger/recordGroups.ts';

/** Keys that are spread evenly. */
const keys = (count: number): number[] =>
	Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * 2 ** KEY_BITS) / count));

const group = (more: Partial<Group>): Group => ({
	status: 'CLOSED',
	changes: 0,
	recency: 0,
	keys: [],
	ids: [],
	...more,
});

const draftOf = (groups: Group[], more: Partial<Draft> = {}): Draft => ({
	groups,
	bits: KEY_BITS,
	orders: {},
	dropped: new Set(),
	...more,
});

/** The characters that a draft takes up: each text in quotes, with a comma. */
const lengthOf = ({ groups, orders }: Draft): number =>
	groups
		.filter((each) => each.keys.length + each.ids.length > 0)
		.reduce((sum, each) => sum + textOf(each).length + 3, 0) +
	Object.values(orders).reduce(
		(sum, order) => sum + (order.marks.length > 0 ? orderText(order).length + 3 : 0),
		0,
	);

const counts = ({ groups }: Draft) => groups.map((each) => each.keys.length);

const ORDER = { marks: [{ key: 7, rank: 99 }], total: 130 };

/** Shortens drafts to this many characters. Keys stay whole unless this says otherwise. */
function fitInto(characters: number, drafts: Draft[], spareKeyBits: number = KEY_BITS): void {
	fit(drafts, { ...LIMITS, characters, spareKeyBits });
}

test('what fits stays as it is', () => {
	const draft = draftOf([
		group({ changes: 1, keys: keys(3) }),
		group({ changes: 2, keys: keys(2), ids: ['A'] }),
	]);
	const before = structuredClone(draft);
	fitInto(lengthOf(draft), [draft]);
	expect(draft).toEqual(before);
});

test('first, records lose their own number of changes', () => {
	const draft = draftOf([
		group({ changes: 1, keys: keys(3) }),
		group({ changes: 2, keys: keys(2) }),
	]);
	fitInto(lengthOf(draft) - 1, [draft]);
	expect(draft.groups).toEqual([group({ changes: 2, keys: [...keys(3), ...keys(2)] })]);
	expect([draft.bits, draft.dropped.size]).toEqual([KEY_BITS, 0]);
});

test('then keys are shortened, by as many bits as necessary', () => {
	const draft = draftOf([group({ keys: keys(64) }), group({ recency: 1, ids: ['A'] })]);
	// 64 keys less one bit each are eleven characters.
	fitInto(lengthOf(draft) - 20, [draft], 10);
	expect(draft.bits).toBe(KEY_BITS - 2);
	expect(draft.groups[0]!.keys).toEqual(keys(64).map((key) => shortened(key, KEY_BITS - 2)));
	expect(draft.dropped.size).toBe(0);
});

test('keys are not shortened to fewer bits than number the records, and those to spare', () => {
	const draft = draftOf([group({ keys: keys(64) })]);
	fitInto(100, [draft], 10);
	expect(draft.bits).toBe(6 + 10);
	expect(counts(draft)[0]).toBeLessThan(64);
	const single = draftOf([group({ keys: keys(1), ids: ['x'.repeat(200)] })]);
	fitInto(100, [single], 10);
	expect(single.bits).toBe(1 + 10);
});

test('then records are dropped: the least recent first, and of those the longest group', () => {
	const draft = draftOf([
		group({ status: 'RECENT', recency: 2, keys: keys(40) }),
		group({ status: 'SHORT', keys: keys(10) }),
		group({ status: 'LONG', keys: keys(30).reverse() }),
		group({ status: 'EARLIER', recency: 1, keys: keys(50) }),
	]);
	fitInto(lengthOf(draft) - 5, [draft]);
	expect(counts(draft)).toEqual([40, 10, 29, 50]);
	expect([...draft.dropped]).toEqual(['LONG']);
	// Those with the highest keys.
	expect(draft.groups[2]!.keys).toEqual(keys(30).slice(0, 29));
	fitInto(480, [draft]);
	expect([...draft.dropped].sort()).toEqual(['EARLIER', 'LONG', 'SHORT']);
	const [recent, short, long, earlier] = counts(draft);
	expect([recent, short, long]).toEqual([40, 0, 0]);
	expect(earlier).toBeGreaterThan(0);
	expect(earlier).toBeLessThan(50);
	fitInto(60, [draft]);
	expect([...draft.dropped].sort()).toEqual(['EARLIER', 'LONG', 'RECENT', 'SHORT']);
	expect(lengthOf(draft)).toBeLessThanOrEqual(60);
});

test('no more records are dropped than necessary', () => {
	const draft = draftOf([group({ keys: keys(1_000) })]);
	const characters = lengthOf(draft) - 100;
	fitInto(characters, [draft]);
	expect(lengthOf(draft)).toBeLessThanOrEqual(characters);
	// 100 characters are about 17 keys of 35 bits.
	expect(counts(draft)[0]).toBeGreaterThan(1_000 - 25);
});

test('of several drafts, the one with the most keys is shortened, and the length of all counts', () => {
	const [small, large] = [
		draftOf([group({ keys: keys(10) })]),
		draftOf([group({ keys: keys(40) })]),
	];
	fitInto(lengthOf(small) + lengthOf(large) - 5, [small, large]);
	expect([counts(small), counts(large)]).toEqual([[10], [39]]);
	expect([small.dropped.size, large.dropped.size]).toEqual([0, 1]);
	const [one, other] = [draftOf([group({ keys: keys(10) })]), draftOf([group({ keys: keys(64) })])];
	fitInto(lengthOf(one) + lengthOf(other) - 5, [one, other], 10);
	expect([one.bits, other.bits]).toEqual([KEY_BITS, KEY_BITS - 1]);
});

test('without keys to drop, orders are forgotten, then IDs, half of them at a time', () => {
	const ids = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6'];
	const draft = draftOf([group({ status: 'OPEN', recency: 2, ids: [...ids] })], {
		orders: { CLOSED: ORDER },
	});
	fitInto(lengthOf(draft), [draft]);
	expect(draft.orders).toEqual({ CLOSED: ORDER });
	const withoutOrder = lengthOf(draft) - orderText(ORDER).length - 3;
	fitInto(lengthOf(draft) - 1, [draft]);
	expect(draft.orders).toEqual({});
	fitInto(withoutOrder, [draft]);
	expect(draft.orders).toEqual({});
	expect([draft.groups[0]!.ids, draft.dropped.size]).toEqual([ids, 0]);
	const one = draftOf([
		group({ status: 'OPEN', recency: 2, ids: ['x'.repeat(50), 'y'.repeat(50)] }),
	]);
	fitInto(80, [one]);
	// A record without its ID takes up as much as its key: of two, one is dropped.
	expect(one.groups[0]!.ids).toEqual(['x'.repeat(50)]);
	expect([one.groups[0]!.keys, [...one.dropped]]).toEqual([[], ['OPEN']]);
});

test('records that lose their ID keep a key, so that they stay known', () => {
	const ids = ['w', 'x', 'y', 'z'].map((letter) => letter.repeat(50));
	const draft = draftOf([group({ status: 'OPEN', recency: 2, ids: [...ids] })]);
	fitInto(170, [draft]);
	expect(draft.groups[0]!.ids).toEqual(ids.slice(0, 2));
	expect(draft.groups[0]!.keys).toEqual(ids.slice(2).map(keyOf));
	expect([...draft.dropped]).toEqual(['OPEN']);
});

test('as many IDs are forgotten as necessary, from the longest group', () => {
	const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => letter.repeat(50));
	const [few, many] = [
		group({ status: 'OPEN', recency: 2, ids: ids.slice(0, 2) }),
		group({ status: 'PENDING', recency: 2, ids: [...ids] }),
	];
	const draft = draftOf([few, many], { orders: { CLOSED: ORDER } });
	fitInto(300, [draft]);
	// First eight, then four; and the order before them.
	expect([few.ids.length, many.ids.length, draft.orders]).toEqual([2, 2, {}]);
	expect([...draft.dropped]).toEqual(['PENDING']);
	expect(lengthOf(draft)).toBeLessThanOrEqual(300);
});

test('a group without records takes up nothing', () => {
	const draft = draftOf([group({ keys: keys(3) }), group({ status: 'OPEN' })]);
	const before = structuredClone(draft);
	fitInto(lengthOf(draft), [draft]);
	expect(draft).toEqual(before);
});

test('where there are no keys, none are shortened', () => {
	const draft = draftOf([group({ ids: ['x'.repeat(50), 'y'.repeat(50)] })]);
	fitInto(80, [draft], 10);
	expect(draft.bits).toBe(KEY_BITS);
});

test('an order without marks takes up nothing, and is not worth forgetting', () => {
	const draft = draftOf([group({ ids: ['x'.repeat(50)] })], {
		orders: { CLOSED: { marks: [], total: 130 } },
	});
	fitInto(10, [draft]);
	expect(draft.orders).toEqual({ CLOSED: { marks: [], total: 130 } });
	expect(draft.groups[0]!.ids).toEqual([]);
});

test('what cannot be shortened any more stays too long, without end', () => {
	const draft = draftOf([group({ ids: ['A'] })]);
	fitInto(-1, [draft]);
	expect(draft.groups[0]!.ids).toEqual([]);
	fitInto(-1, []);
});
