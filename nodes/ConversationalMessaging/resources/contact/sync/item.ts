import { NodeOperationError } from 'n8n-workflow';
import { errorText, unexpected } from '../../../api/errors';
import { isRecord } from '../../../api/response/response';
import type { Address } from '../../../api/response/contact';
import type { Parameters } from '../../../parameters/parameters';
import { readText } from '../../../parameters/values';
import { type CellKind, readCustomFields } from '../customFields';
import type { WantedValue } from '../wantedValues';

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
 * @param kind whether empty values change nothing, or clear what the contact has
 * @throws NodeOperationError for a value that its field cannot accept
 */
export function readItem(parameters: Parameters, matchBy: MatchBy, kind: CellKind): SyncItem {
	const name = parameters.text('name', 'mayBeEmpty');
	const keyLabel = matchBy.by === 'customField' ? matchBy.label : undefined;
	const values = [
		...(name === undefined ? [] : [{ field: 'name', isCustom: false, text: name }]),
		...readAdditional(parameters, kind),
		...readCustomFields(parameters, kind, keyLabel),
	];
	const item = { index: parameters.itemIndex, name, values };
	if (matchBy.by === 'waId') {
		const waId = parameters.whatsAppAddress('waId', 'required');
		return { ...item, key: waId, address: { waId } };
	}
	if (matchBy.by === 'igId') {
		const igId = parameters.id('igId', 'required');
		return { ...item, key: igId, address: { igId } };
	}
	const key = parameters.id('keyValue', 'required');
	return {
		...item,
		key,
		address: {
			waId: parameters.whatsAppAddress('waId', 'mayBeEmpty'),
			igId: parameters.id('igId', 'mayBeEmpty'),
		},
		// First, so that an interrupted run leaves as few contacts without their key as possible.
		values: [{ field: matchBy.label, isCustom: true, text: key }, ...values],
	};
}

/** The names under Additional Fields. */
function readAdditional(parameters: Parameters, kind: CellKind): WantedValue[] {
	const entered = parameters.raw('additionalFields');
	const additional = parameters.collection('additionalFields', kind);
	return Object.keys(isRecord(entered) ? entered : {}).flatMap((field) => {
		const text = additional.text(field);
		return text === undefined ? [] : [{ field, isCustom: false, text }];
	});
}
