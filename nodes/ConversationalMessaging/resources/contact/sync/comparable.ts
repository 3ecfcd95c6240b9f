import { shown } from '../../../api/access/shown';
import { valueOf } from '../../../api/response/response';
import { readOption } from '../../../parameters/values';
import { isSimilar, type Refusal } from '../../shared/customFields';
import type { KnownContact } from '../knownContact';
import type { ContactList } from './contacts';
import type { MatchBy, SyncItem } from './item';

/** Why the items cannot be compared with the contacts; undefined if they can. */
export function whyIncomparable(
	matchBy: MatchBy,
	items: SyncItem[],
	{ contacts, showsFields }: ContactList,
): Refusal | undefined {
	if (contacts.length === 0) return undefined;
	return (
		whyUnaddressed(matchBy, contacts) ??
		whyHidden(matchBy, items, contacts) ??
		whyWithoutFields(matchBy, items, contacts, showsFields)
	);
}

const readChannelWithoutIds = readOption(['WEBCHAT', 'TELEGRAM', 'TIKTOK_SHOP']);

/**
 * No contact shows the ID that items are matched by, and one shows no ID at all: every item would be a new contact. A
 * visitor of a web chat has none to show.
 */
function whyUnaddressed({ by }: MatchBy, all: KnownContact[]): Refusal | undefined {
	const hasId = ({ address }: KnownContact) =>
		address.waId !== undefined || address.igId !== undefined;
	const isVisitor = ({ record }: KnownContact) =>
		readChannelWithoutIds(valueOf(record, 'channel')).value !== undefined;
	const contacts = all.filter((contact) => hasId(contact) || !isVisitor(contact));
	if (contacts.length === 0) return undefined;
	const isShown =
		by === 'customField'
			? contacts.some(hasId)
			: contacts.some(({ address }) => address[by] !== undefined) || contacts.every(hasId);
	if (isShown) return undefined;
	return {
		reason: contacts.some(hasId)
			? shown`No contact in the service’s list shows ${by === 'igId' ? 'an Instagram ID' : 'a WhatsApp ID'}, so every item would be a new contact`
			: shown`The service’s list of contacts shows neither a WhatsApp ID nor an Instagram ID, so every item would be a new contact`,
		step: shown`Nothing was written. Use Contact → Create or Update instead, which finds a contact by its ID. The command check-service shows which keys a contact has.`,
	};
}

/**
 * Items have a name that no contact shows, not even without a value, or such an address that they are not matched by: every
 * run would write it again.
 */
function whyHidden(
	{ by }: MatchBy,
	items: SyncItem[],
	contacts: KnownContact[],
): Refusal | undefined {
	const compared = new Set<string>();
	for (const { address, values } of items) {
		for (const { field, isCustom } of values) if (!isCustom) compared.add(field);
		if (by === 'customField')
			for (const field of ['waId', 'igId'] as const) if (address[field]) compared.add(field);
	}
	const isShown = (field: string) =>
		contacts.some(({ record }) => valueOf(record, field) !== undefined);
	const hidden = [...compared].find((field) => !isShown(field));
	if (hidden === undefined) return undefined;
	return {
		reason: shown`No contact in the service’s list shows ${hidden}, so it cannot be compared`,
		step: shown`Nothing was written. Remove it from the node, and set it with Contact → Create or Update. If no contact has one yet, set one with Contact → Update first.`,
	};
}

/**
 * Items have custom fields, but the list of contacts does not, or it has the key field under another spelling only: every
 * item would be a new contact.
 */
function whyWithoutFields(
	matchBy: MatchBy,
	items: SyncItem[],
	contacts: KnownContact[],
	showsFields: boolean,
): Refusal | undefined {
	const hasFields = items.some(({ values }) => values.some(({ isCustom }) => isCustom));
	if (!hasFields) return undefined;
	if (!showsFields) {
		return {
			reason: shown`The service’s list of contacts does not show custom fields, so they cannot be compared`,
			step: shown`Nothing was written. Match by WhatsApp ID or Instagram ID, remove Custom Fields, and set them with Contact Field → Set. If no contact has a custom field yet, add one with Contact Field → Add first.`,
		};
	}
	if (matchBy.by !== 'customField') return undefined;
	const labels = new Set(
		contacts.flatMap(({ fields }) => (fields?.fields ?? []).map(({ label }) => label)),
	);
	const other = [...labels].find((label) => isSimilar(label, matchBy.label));
	if (other === undefined || labels.has(matchBy.label)) return undefined;
	return {
		reason: shown`Contacts have the field ${other}, but not ${matchBy.label}`,
		step: shown`Nothing was written. Enter Key Field Label as the service spells it.`,
	};
}
