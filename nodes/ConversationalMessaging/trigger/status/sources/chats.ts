import type { IDataObject } from 'n8n-workflow';
import { contactOf, isEscalated } from '../../../api/response/chat';
import { listedRecord } from '../../../api/response/response';
import { contradicts, hides } from '../../contradicts';
import { customerTitle } from '../../title';
import { type List, type LookupResult, type Requests, type StatusSource, listedAt } from './source';

const ESCALATED: List = { status: 'ESCALATED', query: { needsEscalation: true } };
const NOT_ESCALATED: List = { status: 'NOT_ESCALATED', query: { needsEscalation: false } };

/**
 * API document, `GET /chats`. How a chat itself shows its escalation is undocumented; only the filter
 * `needsEscalation` is documented. So only the escalated chats are listed. A chat that enters the list was not
 * escalated before, because only escalating puts it there (section Moves that are shown), or assigning it, if the list
 * is an agent's; a chat that leaves it is looked up, with the opposite filter unless it shows its escalation by that name.
 */
export const chats: StatusSource = {
	event: 'chatEscalationChanged',
	noun: 'chat',
	...listedAt('GET /chats'),
	recordEndpoint: 'GET /chats/{id}',
	statuses: (parameters) => parameters.options('chatStatuses'),
	lists: () => [ESCALATED],
	otherList: NOT_ESCALATED,
	looksUp: (status) => status !== NOT_ESCALATED.status,
	showsNewRecords: false,
	filters: { agentId: 'assigneeId', channelId: 'channelId', contactId: 'contactId' },
	nameOf: ({ record }) => ({ title: customerTitle(record), name: contactOf(record).name }),
	example: { contact: { name: 'Example' }, status: ESCALATED.status },
	impliedPreviousStatus,
	lookUp,
	lookUpLists: 2,
};

/** With an agent, a chat that enters the list may have been escalated before, and assigned now. */
function impliedPreviousStatus({ assigneeId }: IDataObject): string | null {
	return assigneeId === undefined ? NOT_ESCALATED.status : null;
}

async function lookUp(requests: Requests, id: string, scope: IDataObject): Promise<LookupResult> {
	const chat = await requests.record(id);
	if (!chat) return { is: 'deleted' };
	const found = (status: string): LookupResult => ({
		is: 'found',
		observed: { key: id, id, status, record: chat, isFull: true },
	});
	const escalated = isEscalated(chat);
	if (escalated === false) return found(NOT_ESCALATED.status);
	// Without its agent, only the list of the agent shows that it was assigned to another one.
	if (escalated && !hides(chat, scope))
		return contradicts(chat, scope) ? { is: 'outOfScope' } : found(ESCALATED.status);
	const contact = chatsOfContact(chat);
	/** @returns undefined if no other request may be sent: the next poll looks it up again */
	const lists = async (filter: IDataObject): Promise<boolean | undefined> => {
		if (!requests.budget.take()) return undefined;
		const query = { ...filter, ...contact, page: 1, limit: chats.pageSize };
		const { rows } = await requests.page(query);
		return rows.some((row) => {
			const found = listedRecord(row, chats.list);
			return found?.id === id && !contradicts(found.record, filter);
		});
	};
	const isInOther = await lists({ ...NOT_ESCALATED.query });
	if (isInOther) return found(NOT_ESCALATED.status);
	if (isInOther === undefined || !contact) return { is: 'unknown' };
	const isInOwn = await lists({ ...scope, ...ESCALATED.query });
	if (isInOwn) return found(ESCALATED.status);
	const isCertain = isInOwn === false && Object.keys(scope).length > 0;
	return { is: isCertain ? 'outOfScope' : 'unknown' };
}

function chatsOfContact(chat: IDataObject): IDataObject | undefined {
	const { id, waId } = contactOf(chat);
	if (id !== undefined) return { contactId: id };
	return waId === undefined ? undefined : { waId };
}
