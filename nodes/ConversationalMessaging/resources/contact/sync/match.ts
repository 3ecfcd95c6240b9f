import { readWhatsAppId } from '../../../parameters/phone';
import { countOf } from '../../../parameters/values';
import { itemNumbers, listed } from '../../batch';
import { addressOf, fieldValues, type KnownContact } from './contacts';
import type { SyncItem } from './item';

/** What identifies the contact of an item. */
export type MatchBy = { by: 'waId' } | { by: 'igId' } | { by: 'customField'; label: string };

/** The contact of an item. */
export type Match =
	| { kind: 'found'; contact: KnownContact }
	| { kind: 'new' }
	/** @property contacts those that may be the item's */
	| {
			kind: 'conflict';
			reason: string;
			contacts: KnownContact[];
			/** Whether any contact that shows no key may be the item's, too. */
			mayBeKeyless?: true;
	  };

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
	if (contact.fields.isComplete) return { kind: 'found', contact };
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
		return contact ? { kind: 'found', contact } : newOrConflict(item);

	const { waId, igId } = item.address;
	const sameAddress = [waId, igId]
		.map((id) => input.byAddress.get(id))
		.find((items) => items.length > 1);
	if (sameAddress)
		return conflict(`${itemList(sameAddress)} have the same WhatsApp ID or Instagram ID`, hits);
	const owners = known.withAddressOf(item);
	if (contact) {
		if (fieldValues(contact, matchBy.label).length > 1) {
			return conflict(`The contact ${idsOf(hits)} has several fields with the label ${name}`, hits);
		}
		const others = owners.filter((owner) => owner !== contact);
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
	if (owners.length > 0) return matchFound(item, owners, matchBy);
	if (known.keylessCount > 0) {
		const reason = `It is unknown whether a contact has the ${name} ${item.key}: the service does not return all custom fields of ${countOf(known.keylessCount, 'contact')}`;
		return { kind: 'conflict', reason, contacts: [], mayBeKeyless: true };
	}
	return newOrConflict(item);
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

/** Lists by a key. */
class Groups<T> {
	private readonly groups = new Map<string, T[]>();

	/** @param entry that may have the same key twice: then it is added twice in a row, and is in the list once */
	add(key: string | undefined, entry: T): void {
		if (key === undefined || key === '') return;
		const group = this.groups.get(key);
		if (!group) this.groups.set(key, [entry]);
		else if (group[group.length - 1] !== entry) group.push(entry);
	}

	get(key: string | undefined): T[] {
		return (key === undefined ? undefined : this.groups.get(key)) ?? [];
	}
}

/**
 * Lists by a key, in which keys that are probably the same have one list: 7 and "007", "a-17" and "A 17". Spreadsheets
 * drop leading zeros, and people type the rest.
 */
class SimilarKeys<T> {
	private readonly all = new Groups<T>();

	/** Those that are similar to every key with the same letters and digits. */
	private readonly undivided = new Groups<T>();

	private readonly divided = new Groups<T>();

	/** What was returned for a divided key. */
	private readonly found = new Map<string, T[]>();

	/** Only before the first `get`. */
	add(key: string, entry: T): void {
		const { letters, divided } = spellingOf(key);
		this.all.add(letters, entry);
		if (divided === undefined) this.undivided.add(letters, entry);
		else this.divided.add(divided, entry);
	}

	get(key: string): T[] {
		const { letters, divided } = spellingOf(key);
		if (divided === undefined) return this.all.get(letters);
		const known = this.found.get(divided) ?? [
			...new Set([...this.divided.get(divided), ...this.undivided.get(letters)]),
		];
		this.found.set(divided, known);
		return known;
	}
}

/**
 * What is the same in all spellings of a key.
 *
 * @returns its letters and digits; and if digits are divided, the same with the places: "1-23" is not "12-3", but either
 *   may be "123". The digits of a phone number are divided at will.
 */
function spellingOf(key: string): { letters: string; divided?: string } {
	const plain = key.normalize('NFKC').toLowerCase();
	const letters = withoutZeros(plain.replace(/[^\p{L}\p{N}]/gu, '')) || key;
	if (readWhatsAppId(key).value !== undefined) return { letters };
	const parts = plain.replace(/[^\p{L}\p{N}]+/gu, '-');
	const divided = withoutZeros(parts.replace(/(?<!\p{N})-|-(?!\p{N})/gu, ''));
	return divided.includes('-') ? { letters, divided } : { letters };
}

const withoutZeros = (text: string): string => text.replace(/^[0-]+(?=.)/, '');

/** Whether a contact shows no key, but may have one. */
export const mayHaveHiddenKey = (contact: KnownContact, matchBy: MatchBy): boolean =>
	matchBy.by === 'customField' &&
	!contact.fields.isComplete &&
	fieldValues(contact, matchBy.label).length === 0;

/** The contacts of the service, by what identifies them. */
class ContactIndex {
	readonly byKey = new Groups<KnownContact>();

	readonly bySpelling = new SimilarKeys<KnownContact>();

	/** How many contacts show no key, but may have one. */
	readonly keylessCount: number = 0;

	private readonly byWaId = new Groups<KnownContact>();

	private readonly byIgId = new Groups<KnownContact>();

	constructor(contacts: KnownContact[], matchBy: MatchBy) {
		for (const contact of contacts) {
			const { waId, igId } = addressOf(contact);
			this.byWaId.add(waId, contact);
			this.byIgId.add(igId, contact);
			if (matchBy.by === 'waId') this.byKey.add(waId, contact);
			if (matchBy.by === 'igId') this.byKey.add(igId, contact);
			if (matchBy.by !== 'customField') continue;
			const keys = fieldValues(contact, matchBy.label);
			if (mayHaveHiddenKey(contact, matchBy)) this.keylessCount++;
			for (const key of keys) {
				this.byKey.add(key, contact);
				this.bySpelling.add(key, contact);
			}
		}
	}

	/** Each once. */
	withAddressOf({ address }: SyncItem): KnownContact[] {
		return [...new Set([...this.byWaId.get(address.waId), ...this.byIgId.get(address.igId)])];
	}
}

/** The items, by what identifies their contacts. */
class ItemIndex {
	readonly byKey = new Groups<SyncItem>();

	readonly bySpelling = new SimilarKeys<SyncItem>();

	readonly byAddress = new Groups<SyncItem>();

	constructor(items: SyncItem[]) {
		for (const item of items) {
			this.byKey.add(item.key, item);
			this.bySpelling.add(item.key, item);
			this.byAddress.add(item.address.waId, item);
			this.byAddress.add(item.address.igId, item);
		}
	}
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
