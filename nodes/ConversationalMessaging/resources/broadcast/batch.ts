import type { BatchItem, RejectedItems, Settings } from '../../runner/oldBatch';
import { differingSetting, listedValues } from '../../runner/oldBatch';
import type { AudienceInput } from './csvRows';

/** What an input item contributes to the broadcast that all items make. */
export interface BroadcastInput extends AudienceInput {
	settings: Settings;
}

/** The key of the batch: all items of a token make one broadcast. */
export const ONE_BROADCAST = 'all input items';

const ONE_FOR_ALL =
	'All input items make one broadcast, so every setting except the recipient must be the same for all of them. Use one value for all items, e.g. from the first item of an earlier node, or send separate broadcasts with the audience Phone Numbers.';

/**
 * Checks whether the items can be one broadcast. If a setting differs, all of them are rejected: a broadcast per
 * value could be very many, and any one value would send the other recipients something else. Items without a valid
 * phone number are rejected, all at once.
 */
export function checkBroadcast(items: BatchItem<BroadcastInput>[]): RejectedItems[] {
	const differing = checkSettings(items);
	if (differing.length > 0) return differing;
	const unusable = unusableIn(items.map(({ input }) => input));
	return unusable.length > 0 ? [rejectedNumbers(unusable)] : [];
}

/** Checks only whether the settings are the same for all items. */
export function checkSettings(items: BatchItem<BroadcastInput>[]): RejectedItems[] {
	const all = items.map(({ index, input: { settings } }) => ({ index, settings }));
	const difference = differingSetting(all, ONE_FOR_ALL);
	return difference ? [difference] : [];
}

/** The values of items that are not phone numbers. */
export const unusableIn = (inputs: AudienceInput[]): { index: number; value: unknown }[] =>
	inputs.flatMap(({ itemIndex: index, unusable = [] }) =>
		unusable.map((value) => ({ index, value })),
	);

/** Why items with these values cannot be part of a broadcast. */
export function rejectedNumbers(unusable: { index: number; value: unknown }[]): RejectedItems {
	const indexes = [...new Set(unusable.map(({ index }) => index))];
	const named = unusable.map(({ index, value }) => [index, value] as const);
	const items = indexes.length === 1 ? '1 input item has' : `${indexes.length} input items have`;
	return {
		indexes,
		message: `${items} no valid phone number: ${listedValues(named)}`,
		description:
			'Phone Number expects a number with country code and no leading 0. Spreadsheets shorten long numbers: format the column as text. Item numbers start at 0.',
	};
}
