import { isRecord } from '../../../api/response/response';
import type { Address } from '../../../api/response/contact';
import type { Parameters } from '../../../parameters/parameters';
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

function readAdditional(parameters: Parameters, kind: CellKind): WantedValue[] {
	const entered = parameters.raw('additionalFields');
	const additional = parameters.collection('additionalFields', kind);
	return Object.keys(isRecord(entered) ? entered : {}).flatMap((field) => {
		const text = additional.text(field);
		return text === undefined ? [] : [{ field, isCustom: false, text }];
	});
}
