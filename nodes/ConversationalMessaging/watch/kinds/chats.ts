import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../api/answer';
import { idOf } from '../../api/pages';
import { compact } from '../../fields/parameters';
import type { Finding, Kind, Reader } from '../kind';
import { upperCase } from '../kind';

const ESCALATED = { needsEscalation: true };
const NOT_ESCALATED = { needsEscalation: false };

/**
 * API document, `GET /chats`. What a chat itself says of its escalation is not shown: the filter `needsEscalation`
 * alone tells. So only the escalated chats are listed. One that comes in was not escalated before, since escalating
 * is the only way there (section Moves that are shown); one that leaves is looked for on the other side.
 */
export const chats: Kind = {
	event: 'chatEscalationChanged',
	noun: 'chat',
	statusesField: 'chatStatuses',
	list: 'GET /chats',
	detail: 'GET /chats/{id}',
	rowsName: 'chats',
	pageSize: 100,
	layout: 'parts',
	parts: [{ query: ESCALATED, status: 'ESCALATED' }],
	restingPart: { query: NOT_ESCALATED, status: 'NOT_ESCALATED' },
	hasEnded: (status) => status === 'NOT_ESCALATED',
	spell: upperCase,
	strangerWas: 'NOT_ESCALATED',
	narrow: (filters) =>
		compact({
			channelId: filters.id('channelId'),
			assigneeId: filters.id('agentId'),
			contactId: filters.id('contactId'),
		}),
	lookUp,
};

async function lookUp(reader: Reader, id: string, narrowing: IDataObject): Promise<Finding> {
	const chat = await reader.record(id);
	if (!chat) return { is: 'gone' };
	const contact = contactOf(chat);
	const lists = async (query: IDataObject, narrowed: boolean): Promise<boolean> => {
		const { rows } = await reader.page({ ...query, page: 1, limit: chats.pageSize }, narrowed);
		return rows.some((row) => idOf(row) === id);
	};
	const found = (status: string): Finding => ({
		is: 'found',
		sighting: { id, status, record: chat },
	});
	if (await lists({ ...NOT_ESCALATED, ...contact }, false)) return found('NOT_ESCALATED');
	if (!contact) return { is: 'untold' };
	if (await lists({ ...ESCALATED, ...contact }, true)) return found('ESCALATED');
	return Object.keys(narrowing).length > 0 ? { is: 'outside' } : { is: 'untold' };
}

/** What finds the chats of a chat's contact. Where a chat names its contact is undocumented. */
function contactOf(chat: IDataObject): IDataObject | undefined {
	const { contact } = chat;
	const contactId = chat.contactId ?? (isRecord(contact) ? idOf(contact) : contact);
	if (typeof contactId === 'string' || typeof contactId === 'number') return { contactId };
	const waId = chat.waId ?? (isRecord(contact) ? contact.waId : undefined);
	return typeof waId === 'string' ? { waId } : undefined;
}
