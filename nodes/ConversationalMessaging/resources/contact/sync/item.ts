import { NodeOperationError } from 'n8n-workflow';
import { errorText, unexpected } from '../../../api/errors';
import { isRecord } from '../../../api/response/response';
import type { Address } from '../../../api/response/contact';
import type { Parameters } from '../../../parameters/parameters';
import { isBlank, readText } from '../../../parameters/values';
import { readCustomFields } from '../customFields';
import type { WantedValue } from '../values';

/** What identifies the contact of an item. */
export type MatchBy = { by: 'waId' } | { by: 'igId' } | { by: 'customField'; label: string };

/** What an input item says about a contact. */
export interface SyncItem {
	/** Its index in the input, from 0. */
	index: number;
	/** What identifies the contact: a WhatsApp ID, an Instagram ID, or the value of the key field. */
	key: string;
	address: Address;
	name?: string;
	/** What the contact is to have, except its addresses. What the item says nothing about is missing. */
	values: WantedValue[];
}

/** An item that cannot be used, for a dry run. */
export interface InvalidItem {
	/** What identifies the contact, and its name, as far as they can be read. */
	key?: string;
	name?: string;
	/** Why, and the next step. */
	invalid: string;
}

/**
 * Reads an item for a dry run, which shows what is wrong with every one of them.
 *
 * @param keyField the name of the field with what identifies the contact
 */
export function readAnyItem(
	parameters: Parameters,
	keyField: string,
	read: () => SyncItem,
): SyncItem | InvalidItem {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof NodeOperationError)) throw unexpected(parameters.n8n.getNode(), error);
		const [key, name] = [keyField, 'name'].map((field) => readText(parameters.raw(field)).value);
		return { key: key || undefined, name: name || undefined, invalid: errorText(error) };
	}
}

/**
 * Reads what an item says about its contact.
 *
 * @param clearEmpty whether empty values clear what the contact has
 * @throws NodeOperationError for a value that its field cannot accept
 */
export function readItem(parameters: Parameters, matchBy: MatchBy, clearEmpty: boolean): SyncItem {
	const name = parameters.text('name', 'leaveOut');
	const names: WantedValue[] =
		name === undefined ? [] : [{ field: 'name', isCustom: false, text: name, raw: name }];
	const keyLabel = matchBy.by === 'customField' ? matchBy.label : undefined;
	const values = [
		...names,
		...readAdditional(parameters, clearEmpty),
		...readCustomFields(parameters, { clearEmpty, keyLabel }),
	];
	const item = { index: parameters.itemIndex, name, values };
	if (matchBy.by === 'waId') {
		const waId = parameters.requiredWhatsAppAddress('waId');
		return { ...item, key: waId, address: { waId } };
	}
	if (matchBy.by === 'igId') {
		const igId = parameters.requiredId('igId');
		return { ...item, key: igId, address: { igId } };
	}
	const key = parameters.requiredId('keyValue');
	const raw = parameters.raw('keyValue');
	return {
		...item,
		key,
		address: {
			waId: parameters.whatsAppAddress('waId', 'leaveOut'),
			igId: parameters.id('igId', 'leaveOut'),
		},
		// First, so that an interrupted run leaves as few contacts without their key as possible.
		values: [{ field: matchBy.label, isCustom: true, text: key, raw }, ...values],
	};
}

/** The names under Additional Fields. A missing one is undefined. */
function readAdditional(parameters: Parameters, clearEmpty: boolean): WantedValue[] {
	const entered = parameters.raw('additionalFields');
	const additional = parameters.collection('additionalFields');
	return Object.entries(isRecord(entered) ? entered : {}).flatMap(([field, raw]) => {
		if (raw === undefined || (isBlank(raw) && !clearEmpty)) return [];
		return [{ field, isCustom: false, text: additional.text(field, 'leaveOut') ?? '', raw }];
	});
}
