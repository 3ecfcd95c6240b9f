import type { Moment } from '../parameters/dateTime';
import { formatValue, isBlank } from '../parameters/values';

/** Several items that run as one: those with the same key and the same token are sent in the same requests. */
export interface Batch<Input> {
	key: string;
	/** What this item contributes. */
	input: Input;
	/**
	 * Checks the items of a batch against each other, before any request of the batch is sent.
	 *
	 * @returns those that cannot be part of it, with the reason
	 */
	check?: (items: BatchItem<Input>[]) => RejectedItems[];
}

/** One of the items of a batch. */
export interface BatchItem<Input> {
	/** Its index in the input, from 0. */
	index: number;
	input: Input;
}

/** Items that cannot be run, for one reason. */
export interface RejectedItems {
	indexes: number[];
	message: string;
	description: string;
}

/** A value of an item that its field cannot accept. */
export interface UnusableValue {
	/** The name of the field on screen. */
	label: string;
	/** What the field accepts: "a phone number with country code". */
	expected: string;
	value: unknown;
}

/** Values that must be the same in all items of a batch, by their names on screen. */
export type Settings = Record<string, unknown>;

/** How many items a message lists; it always gives their number. */
const MAX_LISTED = 10;

/** A time from an item's expression, and when it was read, in milliseconds since the epoch. */
export interface ReadMoment extends Moment {
	readAt: number;
}

/** Moments are rounded to whole seconds. */
const PRECISION_MS = 1_000;

/**
 * The first setting that differs between items, as the reason to run none of them. Any one value would be wrong for
 * the other items, and a run per value could be very many.
 *
 * @param step the next step for the user
 */
export function differingSetting(
	items: { index: number; settings: Settings }[],
	step: string,
): RejectedItems | undefined {
	const [first, ...others] = items;
	if (!first) return undefined;
	for (const other of others) {
		const names = Object.keys({ ...first.settings, ...other.settings });
		const name = names.find((key) => !isSame(first.settings[key], other.settings[key]));
		if (name === undefined) continue;
		const [one, two] = [first, other].map(
			({ index, settings }) => `${formatSetting(settings[name])} (item ${index})`,
		);
		return {
			indexes: items.map(({ index }) => index),
			message: `${name} differs between input items: ${one}, ${two}`,
			description: step,
		};
	}
	return undefined;
}

/** The items with values that their fields cannot accept: one message per field, which lists its values. */
export function unusableValues(
	items: { index: number; unusable: UnusableValue[] }[],
): RejectedItems[] {
	const byLabel = new Map<string, (UnusableValue & { index: number })[]>();
	for (const { index, unusable } of items) {
		for (const entry of unusable) {
			const same = byLabel.get(entry.label) ?? [];
			same.push({ index, ...entry });
			byLabel.set(entry.label, same);
		}
	}
	return [...byLabel].map(([label, same]) => {
		const values = same.map(({ index, value }) => [index, value] as const);
		return {
			indexes: [...new Set(same.map(({ index }) => index))],
			message: `${capital(label)} expects ${same[0]?.expected ?? ''}, but got ${listedValues(values)}`,
			description:
				'Correct the values in an earlier node. Spreadsheets shorten long numbers: format the column as text. Item numbers start at 0.',
		};
	});
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** By value. `$now` advances while the items are read, so times may differ by the time between their readings. */
function isSame(one: unknown, two: unknown): boolean {
	if (one === two) return true;
	if (isMoment(one) && isMoment(two)) {
		const passed = Math.abs(one.readAt - two.readAt);
		return Math.abs(one.ms - two.ms) <= passed + PRECISION_MS;
	}
	return JSON.stringify(one) === JSON.stringify(two);
}

const isMoment = (value: unknown): value is ReadMoment =>
	typeof value === 'object' && value !== null && 'readAt' in value;

function formatSetting(value: unknown): string {
	if (isBlank(value)) return 'nothing';
	return isMoment(value) ? value.iso : formatValue(value);
}

/** "a", "b", and 5 more */
export function listed(texts: string[]): string {
	const more = texts.length - MAX_LISTED;
	return [...texts.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** "n/a" (item 3), "12" (item 7), and 5 more */
export const listedValues = (entries: (readonly [index: number, value: unknown])[]): string =>
	listed(
		entries.map(
			([index, value]) => `${isBlank(value) ? 'nothing' : formatValue(value)} (item ${index})`,
		),
	);

/** "item 3", "items 3, 7, and 12 more" */
export const itemNumbers = (items: number[]): string =>
	`${items.length === 1 ? 'item' : 'items'} ${listed(items.map(String))}`;
