import { LIMITS, MESSAGE_LIMITS } from '../nodes/ConversationalMessaging/trigger/limits.ts';

const number = (value: number): string => value.toLocaleString('en');

/** The limits of one poll of one kind of record, and of one for messages, as a table. */
export function limitsTable(): string {
	const rows: [what: string, limit: number][] = [
		['Pages of a list that is read in full in every poll', LIMITS.wholePages],
		['Pages of all short lists of a longer one, beyond the first of each', LIMITS.extraPages],
		['Records that left a short list and are looked up', LIMITS.lookups],
		['Records in a status without a list that are looked up', LIMITS.unlistedLookups],
		['Pages while a total is unexplained', LIMITS.searchPages],
		['Pages of long lists that are not known', LIMITS.fillPages],
		['Bits of a key, at least', LIMITS.keyBits],
		['Characters of the state', LIMITS.characters],
		['Requests for messages', MESSAGE_LIMITS.requests],
		['Requests for messages, if the rate limit is not known', MESSAGE_LIMITS.requestsUnknown],
		['Pages of the list of chats', MESSAGE_LIMITS.listPages],
		['Requests for one chat', MESSAGE_LIMITS.historyPages],
		['IDs of messages that are kept', MESSAGE_LIMITS.ids],
		['Chats that are kept', MESSAGE_LIMITS.chats],
	];
	const lines = rows.map(([what, limit]) => `| ${what} | ${number(limit)} |`);
	return ['| In one poll, at most | |', '| --- | --- |', ...lines].join('\n');
}
