import type { IDataObject } from 'n8n-workflow';
import {
	contactIn,
	type KnownContact,
} from '../../../../nodes/ConversationalMessaging/resources/contact/knownContact.ts';
import type { SyncItem } from '../../../../nodes/ConversationalMessaging/resources/contact/sync/item.ts';
import type { WantedValue } from '../../../../nodes/ConversationalMessaging/resources/contact/wantedValues.ts';

/** An item that says as much about a contact as a test needs. */
export function item(key: string, more: Partial<SyncItem> = {}): SyncItem {
	const address = { waId: key };
	return { index: 0, key, address, name: 'Ann', values: [], ...more };
}

/** A contact as the service returns it. */
export const contact = (id: string, record: IDataObject = {}): KnownContact =>
	contactIn({ data: { id, customFields: [], ...record } });

/** The custom fields of a contact, by their labels. */
export const withFields = (values: Record<string, unknown>): IDataObject => ({
	customFields: Object.entries(values).map(([label, value]) => ({
		id: `id of ${label}`,
		label,
		value,
	})) as IDataObject[],
});

export const wanted = (
	field: string,
	text: string,
	more: Partial<WantedValue> = {},
): WantedValue => ({ field, isCustom: true, text, ...more });
