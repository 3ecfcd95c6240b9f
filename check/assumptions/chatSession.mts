import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { isRecord, payloadOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { wordsOf } from '../names.mts';
import { allPaths, typesAt, whyNot } from '../observe.mts';
import { isOk, type ListReading, type Reading } from '../service.mts';
import { join, say } from '../shown.mts';

export const chatSession = assumption<{ list: ListReading; reading?: Reading }>({
	id: 'chat-session',
	question: 'Does a session show whether it is active, and its contact?',
	settles: [],
	otherwise: 'Get Status returns the response unchanged, whatever its keys are.',
	async observe(service) {
		const list = await service.largePage('chats');
		const query = list.rows.map(contactQuery).find((found) => found !== undefined);
		return query
			? { list, reading: await service.read('GET /chats/session', { query }) }
			: { list };
	},
	judge({ list, reading }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		if (list.rows.length === 0) return cannotTell(say`there are no chats`);
		if (!reading) return cannotTell(say`no chat shows its contact`);
		if (!isOk(reading)) return cannotTell(whyNot(reading));
		const payload = payloadOf(reading.response?.json);
		if (!isRecord(payload)) return fails(say`data is not an object`);
		const paths = allPaths([payload], 2);
		const has = (words: string[]) =>
			paths.some((path) => path.some((key) => wordsOf(key).some((word) => words.includes(word))));
		const seen = join(paths.map((path) => say`${names.path(path)} (${typesAt([payload], path)})`));
		const isShown = has(['active', 'session', 'status', 'state', 'open']);
		return isShown && has(['contact', 'wa', 'customer', 'phone']) ? holds(seen) : fails(seen);
	},
});

/** The contact of a chat, as the nodes find it. */
function contactQuery({
	contactId,
	contact,
	waId,
}: IDataObject): Record<string, string> | undefined {
	const id = contactId ?? (isRecord(contact) ? idOf(contact) : undefined);
	if (typeof id === 'string' || typeof id === 'number') return { contactId: String(id) };
	const phone = waId ?? (isRecord(contact) ? contact.waId : undefined);
	return typeof phone === 'string' ? { waId: phone } : undefined;
}
