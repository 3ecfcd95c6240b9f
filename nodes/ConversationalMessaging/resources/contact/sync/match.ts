import { inTurns } from '../../../api/base/concurrency';
import { capitalized, textOf } from '../../../api/base/text';
import type { Address } from '../../../api/response/contact';
import { listed } from '../../../parameters/values';
import { customerId } from '../../../phone/customerId';
import type { KnownContact } from '../knownContact';
import type { MatchBy, SyncItem } from './item';

export type Match =
	| { kind: 'found'; contact: KnownContact }
	| { kind: 'new' }
	/** @property contactId that of the only contact that may be the item's */
	| { kind: 'conflict'; reason: string; contactId?: string };

/**
 * Finds the contact of each item.
 *
 * In doubt, the match is a conflict: a wrong contact would get another customer's data, and a second contact for the
 * same customer cannot be merged with the first.
 */
export async function matchItems(
	items: SyncItem[],
	contacts: KnownContact[],
	matchBy: MatchBy,
): Promise<Map<SyncItem, Match>> {
	const known = new Index<KnownContact>();
	const input = new Index<SyncItem>();
	const contactsByKey = new Groups<KnownContact>();
	const itemsByKey = new Groups<SyncItem>();
	const isByField = matchBy.by === 'customField';
	for await (const contact of inTurns(contacts)) {
		known.add(contact);
		if (!isByField) continue;
		for (const key of keysOf(contact, matchBy.label)) contactsByKey.add(key, contact);
	}
	for await (const item of inTurns(items)) {
		input.add(item);
		itemsByKey.add(item.key, item);
	}
	const matches = new Map<SyncItem, Match>();
	for await (const item of inTurns(items)) {
		const same = isByField ? itemsByKey.get(item.key) : input.sharing(item.address);
		const hits = isByField ? contactsByKey.get(item.key) : known.with(item.address);
		matches.set(item, matchOne(item, matchBy, { same, hits, known, input }));
	}
	return matches;
}

interface Candidates {
	same: SyncItem[];
	hits: KnownContact[];
	known: Index<KnownContact>;
	input: Index<SyncItem>;
}

const labelOf = (matchBy: MatchBy): string =>
	matchBy.by === 'customField' ? matchBy.label : ADDRESS_LABELS[matchBy.by];

const ADDRESS_LABELS = { waId: 'WhatsApp ID', igId: 'Instagram ID' };

function matchOne(item: SyncItem, matchBy: MatchBy, candidates: Candidates): Match {
	const { same, hits, known, input } = candidates;
	const label = labelOf(matchBy);
	if (same.length > 1)
		return conflict(`${itemList(same)} have the same ${label}: ${item.key}`, hits);
	if (hits.length > 1)
		return conflict(`Several contacts have the ${label} ${item.key}: ${idList(hits)}`, hits);
	const [contact] = hits;
	if (matchBy.by !== 'customField')
		return contact ? { kind: 'found', contact } : newOrConflict(item);
	// The address must not lead to another contact than the key.
	const sameAddress = input.sharing(item.address);
	if (sameAddress.length > 1)
		return conflict(`${itemList(sameAddress)} have the same WhatsApp ID or Instagram ID`, hits);
	const owners = known.with(item.address);
	if (contact) {
		const others = owners.filter((owner) => owner !== contact);
		if (others.length === 0) return { kind: 'found', contact };
		const reason = `Another contact has this item’s WhatsApp ID or Instagram ID: ${idList(others)}`;
		return conflict(reason, [contact]);
	}
	const [owner] = owners;
	if (!owner) return newOrConflict(item);
	const rivals = input.with(owner.address);
	if (rivals.length > 1)
		return conflict(`${itemList(rivals)} match the same contact ${idList([owner])}`, [owner]);
	return matchOwners(item, owners, matchBy);
}

/** Whether the contacts with an item's address can be the item's. @param owners at least one, each once */
export function matchOwners(item: SyncItem, owners: KnownContact[], matchBy: MatchBy): Match {
	const [contact, ...others] = owners as [KnownContact, ...KnownContact[]];
	if (others.length > 0) {
		const reason = `Several contacts have this item’s WhatsApp ID or Instagram ID: ${idList(owners)}`;
		return conflict(reason, owners);
	}
	if (matchBy.by !== 'customField') return { kind: 'found', contact };
	const keys = keysOf(contact, matchBy.label);
	if (keys.every((key) => key === item.key)) return { kind: 'found', contact };
	const reason = `The contact ${idList(owners)} has this item’s WhatsApp ID or Instagram ID, but its ${matchBy.label} is ${keys.join(', ')}`;
	return conflict(reason, owners);
}

/** A new contact, if the item has what a new contact needs (API document, `POST /contacts`). */
function newOrConflict({ name, address }: SyncItem): Match {
	if (address.waId === undefined && address.igId === undefined)
		return conflict('A new contact needs a WhatsApp ID or an Instagram ID', []);
	return name === undefined ? conflict('A new contact needs a name', []) : { kind: 'new' };
}

class Groups<T> {
	private readonly groups = new Map<string, T[]>();

	add(key: string, entry: T): void {
		const group = this.groups.get(key);
		if (group) group.push(entry);
		else this.groups.set(key, [entry]);
	}

	get(key: string): T[] {
		return this.groups.get(key) ?? [];
	}
}

class Index<T extends { address: Address }> {
	private readonly groups = new Groups<T>();

	add(entry: T): void {
		for (const key of addressKeys(entry.address)) this.groups.add(key, entry);
	}

	/** Those with one of the addresses, each once. */
	with(address: Address): T[] {
		return [...new Set(addressKeys(address).flatMap((key) => this.groups.get(key)))];
	}

	/** Those that share one of the addresses; [] if it is that of one only. */
	sharing(address: Address): T[] {
		const groups = addressKeys(address).map((key) => this.groups.get(key));
		return groups.find((group) => group.length > 1) ?? [];
	}
}

const addressKeys = ({ waId, igId }: Address): string[] => [
	...(waId === undefined ? [] : [`WhatsApp ${customerId(waId).key}`]),
	...(igId === undefined ? [] : [`Instagram ${igId}`]),
];

/** The values of a contact's key field: none, one, or several if the contact has several such fields. */
const keysOf = ({ fields }: KnownContact, label: string): string[] =>
	(fields?.fields ?? [])
		.filter((field) => field.label === label)
		.map(({ value }) => textOf(value).trim())
		.filter((value) => value !== '');

const idList = (contacts: KnownContact[]): string =>
	listed(contacts, ({ id }) => id ?? 'without an ID');

const itemList = (items: SyncItem[]): string => capitalized(listed(items, rowText));

/** "Ann (row 3)": as people count, because they look it up in the table that the items are from. */
function rowText({ name, index }: SyncItem): string {
	const row = `row ${index + 1}`;
	return name === undefined ? row : `${name.slice(0, MAX_NAME)} (${row})`;
}

const MAX_NAME = 40;

function conflict(reason: string, contacts: KnownContact[]): Match {
	return {
		kind: 'conflict',
		reason,
		contactId: contacts.length === 1 ? contacts[0]?.id : undefined,
	};
}
