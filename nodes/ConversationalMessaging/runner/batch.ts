import { inTurns } from '../api/base/concurrency';
import type { ItemSetting } from '../parameters/parameters';
import { formatValue, isBlank, locatorValue } from '../parameters/values';

/** Several items that run as one: those with the same key and the same token are sent in the same requests. */
export interface Batch<Input> {
	key: string;
	input: Input;
	/**
	 * The fields that may differ between the items. All others must be the same, because they apply to all items. One whose
	 * expression reads nothing of the item, such as `$now`, counts as the same, and the first item's value applies.
	 */
	perItem: readonly string[];
	/** The next step if a field differs between the items, by its name, for fields with one of their own. */
	ifDifferent?: Readonly<Record<string, string>>;
}

interface ComparedItem {
	/** Its index in the input, from 0. */
	index: number;
	settings: ItemSetting[];
}

interface Difference {
	field: string;
	message: string;
}

/**
 * The first setting that differs between the items of a batch, with a message. Any one value would be wrong for the other
 * items, and a run per value could be very many.
 */
export async function differingSetting(items: ComparedItem[]): Promise<Difference | undefined> {
	const [first, ...others] = items;
	for await (const other of inTurns(others)) {
		const names = new Set([...(first?.settings ?? []), ...other.settings].map(({ name }) => name));
		for (const name of names) {
			const [one, two] = [first as ComparedItem, other].map(({ settings }) =>
				settings.find((setting) => setting.name === name),
			);
			if (isSame(one, two)) continue;
			const values = `${formatSetting(one)} (item ${first?.index}), ${formatSetting(two)} (item ${other.index})`;
			const message = `${(one ?? two)?.label} differs between input items: ${values}`;
			return { field: name.split(' ', 1)[0] as string, message };
		}
	}
	return undefined;
}

const isSame = (one: ItemSetting | undefined, two: ItemSetting | undefined): boolean =>
	JSON.stringify(one?.value) === JSON.stringify(two?.value);

function formatSetting(setting: ItemSetting | undefined): string {
	return isBlank(setting?.value) ? 'nothing' : formatValue(locatorValue(setting?.value));
}
