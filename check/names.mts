/** What a report may show of a service: names of keys, types, and words of fixed sets. */
import { readContract } from '../sandbox/contract.mts';
import { isRecord } from '../nodes/ConversationalMessaging/api/response/response.ts';
import {
	IG_ID,
	NAME,
	WA_ID,
} from '../nodes/ConversationalMessaging/resources/contactImport/importColumns.ts';
import type { IDataObject } from 'n8n-workflow';
import { LIST_NAMES } from './service.mts';
import { accepted, join, type Shown } from './shown.mts';

/**
 * The names and words of a service that a report may show: those of the contract, and a few usual ones. Any other key
 * may be data, such as the phone number in a map by phone number.
 */
const USUAL_KEYS = `_id uuid key code ref number hsm_id ticketId messageId importId jobId broadcastId campaignId
	conversationId customerId userId templateId externalId
	items results rows records list meta pagination conversations conversation job jobs import importJob contactImport
	campaign contact customer chat activeSession session ticket user agent owner assignee assignedTo members memberships segment
	count size pages perPage pageSize hasMore next nextCursor nextPage prev previous
	state stage phase isActive isDefault active enabled deleted archived escalated isEscalated escalation needsHuman
	createdAt created updatedAt updated changedAt modifiedAt modified openedAt startedAt scheduledAt endedAt closedAt resolvedAt
	completedAt finishedAt sentAt receivedAt deliveredAt readAt lastMessageAt lastActivityAt lastSeenAt timestamp ts time date
	direction sender senderType from author role fromMe incoming outgoing content message messages messageCount
	lastMessage lastMessageId unread unreadCount
	email phone mobile firstName lastName fullName displayName phoneNumber role memberCount recipientCount fields customFields attributes contactFields
	processed failed succeeded imported skipped invalid valid duplicates errors totalRows processedRows failedRows
	stats statistics counters counts delivered read error statusCode detail details buttons example url
	line row tags ticketNumber`;

const USUAL_WORDS = `new created draft pending waiting accepted started processing running active inactive importing sending
	paused hold retrying unassigned assigned escalated solved done complete finished success succeeded processed
	imported sent delivered read partially errors error rejected canceled aborted expired stopped ended timeout deleted
	disabled blocked approved unapproved inbound outbound incoming outgoing in out customer client visitor user agent bot system
	normal critical telegram shop webchat web chat facebook sms email location contacts interactive
	header footer buttons with not on no to`;

/** Shown for a key that may be data. */
const OTHER_KEY = 'other key';
/** Shown for a word that may be data. */
const OTHER_WORD = 'other word';

const bare = (name: string): string => name.toLowerCase().replace(/[_\s-]/g, '');
const split = (words: string): string[] => words.split(/\s+/);
const inContract = contractNames(readContract());

const KEYS = new Set(
	[
		...inContract.keys,
		...LIST_NAMES,
		...split(USUAL_KEYS),
		...[NAME, WA_ID, IG_ID].flatMap(({ column, synonyms }) => [column, ...synonyms]),
	].map(bare),
);
const WORDS = new Set([...inContract.words.flatMap(wordsOf), ...split(USUAL_WORDS)]);

const isKnownKey = (name: string): boolean => KEYS.has(bare(name));

/** The name of a key or of a column of a file. */
export const key = (name: string): Shown => accepted(name.trim(), isKnownKey, OTHER_KEY);

/** Names of keys from the outside in, e.g. "contact.waId". */
export const path = (names: readonly string[]): Shown => join(names.map(key), '.');

/** Several names, each once, with the number of the others. */
export const keys = (names: readonly string[]): Shown => paths(names.map((name) => [name]));

/** Several paths, each once. */
export function paths(all: readonly (readonly string[])[]): Shown {
	return once(all.map(path));
}

/** A state, a type or another word of a fixed set, as the service spells it. */
export const word = (value: unknown): Shown =>
	accepted(typeof value === 'string' ? value.trim() : '', isKnownWord, OTHER_WORD);

/** Several words, each once, in their order. */
export const words = (values: Iterable<unknown>): Shown => once([...values].map(word));

const once = (all: readonly Shown[]): Shown =>
	join([...new Map(all.map((shown) => [shown.text, shown])).values()]);

function isKnownWord(text: string): boolean {
	const parts = wordsOf(text);
	return parts.length > 0 && parts.every((part) => WORDS.has(part));
}

/** "IN_PROGRESS" and "In progress" as their words, in lower case. */
function wordsOf(text: string): string[] {
	return text
		.toLowerCase()
		.split(/[_\s-]+/)
		.filter(Boolean);
}

/** The names of all properties and parameters of the contract, and the values of its enumerations. */
function contractNames(contract: unknown): { keys: string[]; words: string[] } {
	const found = { keys: [] as string[], words: [] as string[] };
	const visit = (value: unknown): void => {
		if (Array.isArray(value)) value.forEach(visit);
		if (!isRecord(value)) return;
		if (isRecord(value.properties)) found.keys.push(...Object.keys(value.properties));
		if (typeof value.in === 'string' && typeof value.name === 'string') found.keys.push(value.name);
		if (Array.isArray(value.enum)) found.words.push(...value.enum.map(String));
		Object.values(value).forEach(visit);
	};
	visit(contract);
	return found;
}

/** All paths of values that are not records themselves, each once, down to this depth. Lists are values. */
export function allPaths(records: readonly IDataObject[], depth = 3): string[][] {
	const found = new Map<string, string[]>();
	for (const record of records)
		for (const own of pathsIn(record, depth)) found.set(JSON.stringify(own), own);
	return [...found.values()];
}

function pathsIn(record: IDataObject, depth: number): string[][] {
	return Object.entries(record).flatMap(([name, value]) =>
		isRecord(value) && depth > 1
			? pathsIn(value, depth - 1).map((inner) => [name, ...inner])
			: [[name]],
	);
}
