import type { Baseline } from './baseline';
import { keyOf, shortened } from './keys';
import type { Limits } from './limits';
import { orderText } from './orderText';
import type { Group } from './recordGroups';
import { isFilled, textOf, withoutOwnChanges } from './recordGroups';

/** What is shortened of a checkpoint while it is being encoded. */
export interface Draft {
	groups: Group[];
	bits: number;
	orders: Baseline['orders'];
	/** Statuses of which a record was dropped. */
	dropped: Set<string>;
}

/**
 * Shortens the drafts in place until they fit together. First, records lose their own number of changes; then keys are
 * shortened. Only then are records dropped: those in archives before those that may have to be looked up, and of the
 * former those that did not change recently, from the longest group.
 *
 * @returns the groups of each draft as text
 */
export function fit(drafts: Draft[], { characters, spareKeyBits }: Limits): Map<Draft, string[]> {
	const texts = new Map<Draft, string[]>();
	const write = (): void => {
		for (const draft of drafts) texts.set(draft, draft.groups.filter(isFilled).map(textOf));
	};
	const lengthOf = (draft: Draft): number =>
		(texts.get(draft) ?? []).reduce((sum, text) => sum + text.length + 3, 0) + ordersLength(draft);
	const excess = (): number => drafts.reduce((sum, draft) => sum + lengthOf(draft), 0) - characters;
	write();
	if (excess() > 0) {
		for (const draft of drafts) draft.groups = withoutOwnChanges(draft.groups);
		write();
	}
	while (excess() > 0) {
		const byLength = [...drafts].sort((one, other) => keysIn(other) - keysIn(one));
		const [longest] = byLength;
		if (!longest) break;
		const fewestBits = (draft: Draft): number =>
			Math.ceil(Math.log2(Math.max(2, keysIn(draft)))) + spareKeyBits;
		const draft = byLength.find((each) => keysIn(each) > 0 && each.bits > fewestBits(each));
		if (draft) {
			// Six bits per character, one bit less per key.
			const less = Math.max(1, Math.ceil((excess() * 6) / keysIn(draft)));
			shortenKeys(draft, Math.max(fewestBits(draft), draft.bits - less));
		} else if (!drop(drafts, longest, excess())) break;
		write();
	}
	return texts;
}

const keysIn = ({ groups }: Draft): number =>
	groups.reduce((sum, { keys }) => sum + keys.length, 0);

function shortenKeys(draft: Draft, bits: number): void {
	const by = 2 ** (draft.bits - bits);
	for (const group of draft.groups) group.keys = group.keys.map((key) => Math.floor(key / by));
	draft.bits = bits;
}

/** @returns false if there is nothing left to drop */
function drop(drafts: Draft[], draft: Draft, excess: number): boolean {
	for (const recency of [0, 1, 2]) {
		const [longest] = draft.groups
			.filter((group) => group.recency === recency && group.keys.length > 0)
			.sort((one, other) => other.keys.length - one.keys.length);
		if (!longest) continue;
		// With at least two characters per key, this never drops more than half of the necessary number.
		const count = Math.min(longest.keys.length, Math.max(1, Math.ceil(excess / 5)));
		longest.keys.sort((one, other) => one - other).splice(longest.keys.length - count);
		draft.dropped.add(longest.status);
		return true;
	}
	const ordered = drafts.find((each) => ordersLength(each) > 0);
	if (ordered) {
		ordered.orders = {};
		return true;
	}
	const most = drafts
		.flatMap((each) => each.groups.map((group) => ({ each, group })))
		.sort((one, other) => other.group.ids.length - one.group.ids.length)[0];
	if (!most || most.group.ids.length === 0) return false;
	// Half of them at a time, because IDs have any length. The record stays known, but can no longer be looked up.
	const { ids, keys } = most.group;
	const keyless = ids.splice(Math.floor(ids.length / 2));
	if (keyless.length > 1) keys.push(...keyless.map((id) => shortened(keyOf(id), most.each.bits)));
	most.each.dropped.add(most.group.status);
	return true;
}

const ordersLength = ({ orders }: Draft): number =>
	Object.values(orders).reduce(
		(sum, order) => sum + (order.marks.length === 0 ? 0 : orderText(order).length + 3),
		0,
	);
