import { isRecord } from '../../../api/response';
import type { Parameters } from '../../../parameters/parameters';
import { readWhatsAppId } from '../../../parameters/phone';
import type { ReadResult } from '../../../parameters/values';
import { isBlank, readId, readText } from '../../../parameters/values';
import type { BatchItem, RejectedItems, Settings, UnusableValue } from '../../../runner/oldBatch';
import { differingSetting, unusableValues } from '../../../runner/oldBatch';
import type { Address } from '../address';
import type { MatchBy } from './match';
import type { WantedValue } from './values';
import { isEmptyValue, readFieldValue } from './values';

/** What an input item says about a contact. */
export interface SyncItem {
	/** Its index in the input, from 0. */
	index: number;
	/** What identifies the contact: the digits of a phone number, an Instagram ID, the value of the key field. */
	key: string;
	address: Address;
	name?: string;
	/** What the contact is to have, except its addresses. What the item says nothing about is missing. */
	values: WantedValue[];
	/** Values that their fields cannot accept. */
	unusable: UnusableValue[];
	/** What must be the same for all items, by the names on screen. */
	settings: Settings;
}

const ONE_FOR_ALL =
	'All input items are synced together, so use the same value for all of them, e.g. from the first item of an earlier node.';

/** Checks whether the items can be synced together: the same settings, and values that their fields can accept. */
export function checkItems(items: BatchItem<SyncItem>[]): RejectedItems[] {
	const all = items.map(({ input }) => input);
	const difference = differingSetting(all, ONE_FOR_ALL);
	return difference ? [difference] : unusableValues(all);
}

/**
 * Reads what an item says about its contact. A value that a field cannot accept does not throw, so that one message can
 * list such values of all items.
 *
 * @param clearEmpty whether empty values clear what the contact has
 * @throws NodeOperationError if labels of custom fields are missing or occur twice
 */
export function readItem(
	parameters: Parameters,
	matchBy: MatchBy,
	clearEmpty: boolean,
	settings: Settings,
): SyncItem {
	const item: SyncItem = {
		index: parameters.itemIndex,
		key: '',
		address: {},
		values: [],
		unusable: [],
		settings,
	};
	const read = <T>(
		label: string,
		value: unknown,
		reader: (value: unknown) => ReadResult<T>,
	): T | undefined => {
		const reading = reader(value);
		if (reading.value === undefined) {
			item.unusable.push({ label, expected: reading.expected ?? 'another value', value });
		}
		return reading.value;
	};
	const readIfFilled = <T>(name: string, reader: (value: unknown) => ReadResult<T>) => {
		const value = parameters.raw(name);
		return value === undefined ? undefined : read(parameters.label(name), value, reader);
	};
	const readRequired = <T>(name: string, reader: (value: unknown) => ReadResult<T>) =>
		read(parameters.label(name), parameters.raw(name), reader);
	/** Adds what the contact is to have. undefined: the item does not have the value. */
	const add = (
		field: string,
		isCustom: boolean,
		label: string,
		value: unknown,
		reader: (value: unknown) => ReadResult<string>,
	): void => {
		// A name is one text: a list is none, not even an empty one.
		const isEmpty = isCustom ? isEmptyValue(value) : isBlank(value);
		if (value === undefined || (isEmpty && !clearEmpty)) return;
		const text = isEmpty ? '' : read(label, value, reader);
		if (text !== undefined) item.values.push({ field, isCustom, text, raw: value });
	};

	if (matchBy.by === 'customField') {
		item.key = readRequired('keyValue', readId) ?? '';
		const raw = parameters.raw('keyValue');
		// First, so that an interrupted run leaves as few contacts without their key as possible.
		item.values.push({ field: matchBy.label, isCustom: true, text: item.key, raw });
		item.address.waId = readIfFilled('waId', readWhatsAppId);
		item.address.igId = readIfFilled('igId', readId);
	} else if (matchBy.by === 'waId') {
		item.key = readRequired('waId', readWhatsAppId) ?? '';
		item.address.waId = item.key;
	} else {
		item.key = readRequired('igId', readId) ?? '';
		item.address.igId = item.key;
	}

	item.name = readIfFilled('name', readText);
	if (item.name !== undefined) {
		item.values.push({ field: 'name', isCustom: false, text: item.name, raw: item.name });
	}
	const extra = parameters.raw('additionalFields');
	const additional = parameters.collection('additionalFields');
	for (const [name, value] of Object.entries(isRecord(extra) ? extra : {})) {
		add(name, false, additional.label(name), value, readText);
	}
	const readValue = readFieldValue(parameters.context.getTimezone());
	for (const { label, value } of customFieldsOf(parameters, matchBy)) {
		add(label, true, `the custom field ${label}`, value, readValue);
	}
	return item;
}

/** The entries of Custom Fields. @throws NodeOperationError if a label is missing or occurs twice */
function customFieldsOf(
	parameters: Parameters,
	matchBy: MatchBy,
): { label: string; value: unknown }[] {
	const collection = parameters.raw('customFields');
	const field: unknown = isRecord(collection) ? collection.field : undefined;
	const entries = Array.isArray(field) ? (field as unknown[]).filter(isRecord) : [];
	const seen = new Set<string>();
	return entries.flatMap(({ label: entered, value }) => {
		const label = isBlank(entered) ? '' : readText(entered).value;
		if (label === '' && isBlank(value)) return [];
		if (label === '' || label === undefined) {
			throw parameters.invalid(
				'A value under Custom Fields has no label',
				'Enter the Label of the field.',
			);
		}
		if (matchBy.by === 'customField' && label === matchBy.label) {
			throw parameters.invalid(
				`Custom Fields contains ${label}, which is also the key field`,
				'Remove it from Custom Fields. Key Value sets it.',
			);
		}
		if (seen.has(label)) {
			throw parameters.invalid(`Custom Fields contains the label ${label} twice`, 'Remove one.');
		}
		seen.add(label);
		return [{ label, value }];
	});
}
