import { readWhatsAppId } from '../../../parameters/phone';
import { addressOf, comparableWaId, fieldValues, type KnownContact } from './contacts';
import type { SyncItem } from './item';
import type { MatchBy } from './match';

/** Lists by a key. */
class Groups<T> {
	private readonly groups = new Map<string, T[]>();

	/** @param entry that may have the same key twice: then it is added twice in a row, and is in the list once */
	add(key: string | undefined, entry: T): void {
		if (!key) return;
		const group = this.groups.get(key);
		if (!group) this.groups.set(key, [entry]);
		else if (group[group.length - 1] !== entry) group.push(entry);
	}

	get(key: string | undefined): T[] {
		return this.groups.get(key ?? '') ?? [];
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

/** The values of a contact's key field; none if addresses identify contacts. */
export const keysOf = (contact: KnownContact, matchBy: MatchBy): string[] =>
	matchBy.by === 'customField' ? fieldValues(contact, matchBy.label) : [];

/** Whether a contact shows no key, but may have one. */
const mayHaveHiddenKey = (contact: KnownContact, matchBy: MatchBy): boolean =>
	matchBy.by === 'customField' &&
	!contact.fields.isComplete &&
	contact.isNew !== true &&
	keysOf(contact, matchBy).length === 0;

/** Whether a contact may be that of any item, because it does not show its key, or neither of its addresses. */
export const hidesIdentity = (contact: KnownContact, matchBy: MatchBy): boolean =>
	mayHaveHiddenKey(contact, matchBy) ||
	(contact.record.waId === undefined && contact.record.igId === undefined);

/** The contacts of the service, by what identifies them. */
export class ContactIndex {
	readonly byKey = new Groups<KnownContact>();

	readonly bySpelling = new SimilarKeys<KnownContact>();

	/** How many contacts show no key, but may have one. */
	readonly keylessCount: number = 0;

	private readonly byWaId = new Groups<KnownContact>();

	private readonly byIgId = new Groups<KnownContact>();

	/** By the dialed number. */
	private readonly byNumber = new Groups<KnownContact>();

	constructor(contacts: KnownContact[], matchBy: MatchBy) {
		for (const contact of contacts) {
			const address = addressOf(contact);
			const { waId, igId } = address;
			this.byWaId.add(waId, contact);
			this.byNumber.add(comparableWaId(address), contact);
			this.byIgId.add(igId, contact);
			if (matchBy.by === 'waId') this.byKey.add(waId, contact);
			if (matchBy.by === 'igId') this.byKey.add(igId, contact);
			if (mayHaveHiddenKey(contact, matchBy)) this.keylessCount++;
			for (const key of keysOf(contact, matchBy)) {
				this.byKey.add(key, contact);
				this.bySpelling.add(key, contact);
			}
		}
	}

	/** Each once. */
	withAddressOf({ address }: SyncItem): KnownContact[] {
		return [...new Set([...this.byWaId.get(address.waId), ...this.byIgId.get(address.igId)])];
	}

	/** Those with another WhatsApp ID of the item's number, if none has its own. */
	withOtherWaIdOf({ address }: SyncItem): KnownContact[] {
		const isKnown = this.byWaId.get(address.waId).length > 0;
		return isKnown ? [] : this.byNumber.get(comparableWaId(address));
	}
}

/** The items, by what identifies their contacts. */
export class ItemIndex {
	readonly byKey = new Groups<SyncItem>();

	readonly bySpelling = new SimilarKeys<SyncItem>();

	readonly byIgId = new Groups<SyncItem>();

	/** By the dialed number. */
	readonly byNumber = new Groups<SyncItem>();

	constructor(items: SyncItem[]) {
		for (const item of items) {
			this.byKey.add(item.key, item);
			this.bySpelling.add(item.key, item);
			this.byNumber.add(comparableWaId(item.address), item);
			this.byIgId.add(item.address.igId, item);
		}
	}
}
