import type { Moment } from '../../fields/dateTime';
import { isNothing, shown } from '../../fields/values';
import type { JointItem, RefusedItems } from '../operation';
import type { AudiencePart } from './audience';

/** Values that have to be the same in all items of a broadcast, by the names on screen. */
export type Settings = Record<string, unknown>;

/** What an input item brings to the broadcast that all items make together. */
export interface BroadcastPart extends AudiencePart {
	settings: Settings;
}

/** How many items a message names; their number is always given. */
const MOST_NAMED = 10;

/** A time that an item's expression yielded, and when it did, in milliseconds since the epoch. */
export interface ReadMoment extends Moment {
	readAt: number;
}

/** Moments are of whole seconds. */
const PRECISION_MS = 1_000;

/**
 * Whether the items can be one broadcast. Settings that differ are an error for all of them: a broadcast per value would
 * be many broadcasts, and any one value would send the others' recipients something else. Items without a usable phone
 * number are refused, all at once.
 */
export function checkBroadcast(items: JointItem[]): RefusedItems[] {
	const all = items.map(({ index, part }) => ({ index, ...(part as BroadcastPart) }));
	const difference = differenceIn(all);
	if (difference) return [difference];
	const unusable = all.flatMap(({ index, unusable: values = [] }) =>
		values.map((value) => ({ index, value })),
	);
	return unusable.length > 0 ? [refusedNumbers(unusable)] : [];
}

function differenceIn(all: { index: number; settings: Settings }[]): RefusedItems | undefined {
	const [first, ...others] = all;
	if (!first) return undefined;
	for (const other of others) {
		const names = Object.keys({ ...first.settings, ...other.settings });
		const name = names.find((key) => !isSame(first.settings[key], other.settings[key]));
		if (name === undefined) continue;
		const [one, two] = [first, other].map(
			({ index, settings }) => `${shownSetting(settings[name])} (item ${index})`,
		);
		return {
			indexes: all.map(({ index }) => index),
			message: `${name} differs between input items: ${one}, ${two}`,
			description:
				'All input items make one broadcast, so every setting but the recipient has to be the same for all of them. Use an expression with one value for all items, e.g. of the first item of an earlier node, or send separate broadcasts, e.g. with the audience Phone Numbers.',
		};
	}
	return undefined;
}

/** By value. `$now` goes on while the items are read: times may differ by what passed between their readings. */
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

function shownSetting(value: unknown): string {
	if (isNothing(value)) return 'nothing';
	return isMoment(value) ? value.iso : shown(value);
}

function refusedNumbers(unusable: { index: number; value: unknown }[]): RefusedItems {
	const indexes = [...new Set(unusable.map(({ index }) => index))];
	const named = unusable.map(({ index, value }) => [index, value] as const);
	const items = indexes.length === 1 ? '1 input item has' : `${indexes.length} input items have`;
	return {
		indexes,
		message: `${items} no usable phone number: ${listed(named)}`,
		description:
			'Enter phone numbers with country code, without a leading 0. Spreadsheets cut long numbers: format the column as text. Items are counted from 0.',
	};
}

/** "n/a" (item 3), "12" (item 7), and 5 more */
export function listed(entries: (readonly [index: number, value: unknown])[]): string {
	const named = entries
		.slice(0, MOST_NAMED)
		.map(([index, value]) => `${isNothing(value) ? 'nothing' : shown(value)} (item ${index})`);
	const more = entries.length - named.length;
	return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
