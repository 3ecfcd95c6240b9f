import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { allPaths, typesAt, valueAt, whyNot } from '../observe.mts';
import { eventsOf, MESSAGE_RECEIVED } from '../operations.mts';
import type { ListReading } from '../service.mts';
import { join, say, type Shown } from '../shown.mts';
import { wordsOf } from '../names.mts';
import type { Names } from '../names.mts';

export const recordLinks = assumption<{ chats: ListReading; tickets: ListReading }>({
	id: 'record-links',
	question: 'Does every chat show its contact where the nodes read it?',
	settles: [],
	otherwise:
		'Items of Message Received have no contact ID and no address to reply to. The trigger never reports the end of an escalation, because it cannot look up a chat that is no longer escalated.',
	observe: async (service) => ({
		chats: await service.largePage('chats'),
		tickets: await service.largePage('tickets'),
	}),
	judge({ chats, tickets }, { names }) {
		const linkedBy = [
			...linkKeys('a ticket', tickets.rows, names),
			...linkKeys('a chat', chats.rows, names),
		];
		if (!chats.path) return cannotTell(whyNot(chats.reading), ...linkedBy);
		if (chats.rows.length === 0) return cannotTell(say`there are no chats`, ...linkedBy);
		const without = chats.rows.filter((row) => !showsContact(row)).length;
		if (without === chats.rows.length)
			return {
				...fails(say`none of ${chats.rows.length} chats`, ...linkedBy),
				events: [...eventsOf('GET /chats'), MESSAGE_RECEIVED],
			};
		if (without > 0)
			return fails(say`${without} of ${chats.rows.length} chats do not`, ...linkedBy);
		return holds(...linkedBy);
	},
});

/** As the trigger finds it: an ID of the contact, the contact, or its WhatsApp ID. */
function showsContact({ contactId, contact, waId }: IDataObject): boolean {
	const values = [contactId, isRecord(contact) ? (idOf(contact) ?? contact.waId) : contact, waId];
	return values.some((value) => typeof value === 'string' || typeof value === 'number');
}

const LINKED = ['contact', 'customer', 'wa', 'phone', 'client', 'chat', 'conversation'];

/** The keys that link a record to a contact or a chat. */
function linkKeys(
	kind: 'a ticket' | 'a chat',
	rows: readonly IDataObject[],
	names: Names,
): Shown[] {
	const paths = allPaths(rows.slice(0, 50), 2).filter(
		(path) =>
			path.some((key) => wordsOf(key).some((word) => LINKED.includes(word))) &&
			/id$|phone|number|^contact$|^customer$|^chat$/i.test(path.at(-1) ?? '') &&
			rows.some((row) => ['string', 'number'].includes(typeof valueAt(row, path))),
	);
	if (paths.length === 0) return [];
	const shown = paths.map((path) => say`${names.path(path)} (${typesAt(rows.slice(0, 50), path)})`);
	return [kind === 'a chat' ? say`a chat: ${join(shown)}` : say`a ticket: ${join(shown)}`];
}
