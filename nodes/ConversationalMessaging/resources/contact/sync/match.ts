import { countOf } from '../../../parameters/values';
import { itemNumbers, listed } from '../../../runner/batch';
import { addressOf, comparableWaId, fieldValues, type KnownContact } from './contacts';
import { ContactIndex, ItemIndex } from './indexes';
import type { SyncItem } from './item';

/** What identifies the contact of an item. */
export type MatchBy = { by: 'waId' } | { by: 'igId' } | { by: 'customField'; label: string };

/** The contact of an item. */
export type Match =
	| { kind: 'found'; contact: KnownContact }
	| { kind: 'new' }
	/**
	 * Contacts have another WhatsApp ID of the item's number. Whether the service finds them by the item's is not
	 * documented: if it does not, the item is a conflict.
	 */
	| { kind: 'otherWaId'; reason: string; contacts: KnownContact[] }
	/** @property contacts those that may be the item's */
	| { kind: 'conflict'; reason: string; contacts: KnownContact[] };

/** The contacts that may be an item's. */
export function contactsOf(match: Match): KnownContact[] {
	if (match.kind === 'found') return [match.contact];
	return match.kind === 'new' ? [] : match.contacts;
}

/**
 * Finds the contact of each item.
 *
 * In doubt, the match is a conflict: a wrong contact would get another customer's data, and a second contact for the
 * same customer cannot be merged with the first.
 */
export function matchItems(items: SyncItem[], contacts: KnownContact[], matchBy: MatchBy): Match[] {
	const known = new ContactIndex(contacts, matchBy);
	const input = new ItemIndex(items);
	const matches = items.map((item) => matchItem(item, known, input, matchBy));
	return withoutSharedContacts(items, matches);
}

/**
 * Whether contacts that the service found by an item's address can be the item's.
 *
 * @param found those with one of its addresses, each once
 */
export function matchFound(item: SyncItem, found: KnownContact[], matchBy: MatchBy): Match {
	const [contact] = found;
	if (!contact) return { kind: 'new' };
	if (found.length > 1) {
		return conflict(
			`Several contacts have this item’s WhatsApp ID or Instagram ID: ${idsOf(found)}`,
			found,
		);
	}
	if (matchBy.by !== 'customField') return { kind: 'found', contact };
	const keys = fieldValues(contact, matchBy.label);
	if (keys.length > 0 && keys.every((key) => key === item.key)) return { kind: 'found', contact };
	if (keys.length > 0) {
		const reason = `The contact ${idsOf(found)} has this item’s WhatsApp ID or Instagram ID, but its ${matchBy.label} is ${keys.join(', ')}`;
		return conflict(reason, found);
	}
	if (contact.fields.isComplete || contact.isNew) return { kind: 'found', contact };
	const reason = `It is unknown whether the contact ${idsOf(found)} has another ${matchBy.label}: the service does not return all of its custom fields`;
	return conflict(reason, found);
}

function matchItem(item: SyncItem, known: ContactIndex, input: ItemIndex, matchBy: MatchBy): Match {
	const name = keyName(matchBy);
	const hits = known.byKey.get(item.key);
	const sameKey = input.byKey.get(item.key);
	if (sameKey.length > 1) {
		return conflict(`${itemList(sameKey)} have the same ${name}: ${item.key}`, hits);
	}
	if (hits.length > 1) {
		return conflict(`Several contacts have the ${name} ${item.key}: ${idsOf(hits)}`, hits);
	}
	const [contact] = hits;
	if (matchBy.by !== 'customField')
		return contact ? { kind: 'found', contact } : withoutContact(item, known, input);

	const sameAddress = [
		input.byNumber.get(comparableWaId(item.address)),
		input.byIgId.get(item.address.igId),
	].find((items) => items.length > 1);
	if (sameAddress)
		return conflict(`${itemList(sameAddress)} have the same WhatsApp ID or Instagram ID`, hits);
	const owners = known.withAddressOf(item);
	const otherOwners = known.withOtherWaIdOf(item);
	if (contact) {
		if (fieldValues(contact, matchBy.label).length > 1) {
			return conflict(`The contact ${idsOf(hits)} has several fields with the label ${name}`, hits);
		}
		const others = [...new Set([...owners, ...otherOwners])].filter((owner) => owner !== contact);
		return others.length === 0
			? { kind: 'found', contact }
			: conflict(`Another contact has this item’s WhatsApp ID or Instagram ID: ${idsOf(others)}`, [
					contact,
					...others,
				]);
	}
	const similar = known.bySpelling.get(item.key);
	if (similar.length > 0) {
		const keys = similar.flatMap((one) => fieldValues(one, matchBy.label));
		const reason = `The ${name} ${item.key} differs only in spelling from that of an existing contact: ${listed(keys)} (${idsOf(similar)})`;
		return conflict(reason, similar);
	}
	const sameSpelling = input.bySpelling.get(item.key);
	if (sameSpelling.length > 1) {
		return conflict(
			`${itemList(sameSpelling)} have values of ${name} that differ only in spelling`,
			[],
		);
	}
	if (owners.length > 0)
		return matchFound(item, [...new Set([...owners, ...otherOwners])], matchBy);
	if (otherOwners.length > 0) return otherWaId(item, otherOwners);
	if (known.keylessCount > 0) {
		const reason = `It is unknown whether a contact has the ${name} ${item.key}: the service does not return all custom fields of ${countOf(known.keylessCount, 'contact')}`;
		return conflict(reason, []);
	}
	return withoutContact(item, known, input);
}

/** The match of an item whose key and addresses no contact has. */
function withoutContact(item: SyncItem, known: ContactIndex, input: ItemIndex): Match {
	const contacts = known.withOtherWaIdOf(item);
	if (contacts.length > 0) return otherWaId(item, contacts);
	const sameNumber = input.byNumber.get(comparableWaId(item.address));
	if (sameNumber.length > 1) {
		const ids = listed([...new Set(sameNumber.map(({ address }) => address.waId ?? ''))]);
		return conflict(`${itemList(sameNumber)} have WhatsApp IDs of the same number: ${ids}`, []);
	}
	return newOrConflict(item);
}

/** @param contacts those with another WhatsApp ID of the item's number */
export function otherWaId({ address: { waId = '' } }: SyncItem, contacts: KnownContact[]) {
	const ids = listed(contacts.map((contact) => addressOf(contact).waId ?? ''));
	const reason = `The WhatsApp ID ${waId} and that of an existing contact belong to the same number: ${ids} (${idsOf(contacts)}). Enter the WhatsApp ID as the contact has it`;
	return { kind: 'otherWaId', reason, contacts } as const;
}

/** A new contact, if the item has what a new contact needs (API document, `POST /contacts`). */
function newOrConflict({ name, address }: SyncItem): Match {
	if (address.waId === undefined && address.igId === undefined) {
		return conflict('A new contact needs a WhatsApp ID or an Instagram ID', []);
	}
	return name === undefined ? conflict('A new contact needs a name', []) : { kind: 'new' };
}

/** Items that have the same contact by different ways, such as a key and an address, are conflicts. */
function withoutSharedContacts(items: SyncItem[], matches: Match[]): Match[] {
	const owners = new Map<KnownContact, SyncItem[]>();
	for (const [position, match] of matches.entries()) {
		if (match.kind !== 'found') continue;
		const sharing = owners.get(match.contact) ?? [];
		sharing.push(items[position] as SyncItem);
		owners.set(match.contact, sharing);
	}
	return matches.map((match) => {
		const sharing = match.kind === 'found' ? (owners.get(match.contact) ?? []) : [];
		if (match.kind !== 'found' || sharing.length < 2) return match;
		const reason = `${itemList(sharing)} match the same contact ${idsOf([match.contact])}`;
		return conflict(reason, [match.contact]);
	});
}

function keyName(matchBy: MatchBy): string {
	if (matchBy.by === 'customField') return matchBy.label;
	return matchBy.by === 'waId' ? 'WhatsApp ID' : 'Instagram ID';
}

const idsOf = (contacts: KnownContact[]): string =>
	listed(contacts.map(({ id }) => id ?? 'without an ID'));

/** By list, because a list of a hundred thousand items is the reason of each of them. */
const numbers = new WeakMap<SyncItem[], string>();

function itemList(items: SyncItem[]): string {
	const known = numbers.get(items);
	if (known !== undefined) return known;
	const text = itemNumbers(items.map(({ index }) => index));
	const sentence = text.charAt(0).toUpperCase() + text.slice(1);
	numbers.set(items, sentence);
	return sentence;
}

const conflict = (reason: string, contacts: KnownContact[]): Match => ({
	kind: 'conflict',
	reason,
	contacts,
});
