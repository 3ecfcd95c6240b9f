import type { Assumption } from '../assumption.mts';
import { jobs, csvColumns, templates } from './broadcasts.mts';
import { chatActivity, chatContact, chatEscalation, messageKeys, messagePages } from './chats.mts';
import { contactNumber, contactShape, segmentMembers } from './contacts.mts';
import { rateLimit } from './limits.mts';
import { listLength, listOrder, listPlace, notFound, paging, recordIds } from './lists.mts';
import { ticketNumber, ticketStatus } from './tickets.mts';

/**
 * All assumptions. Those that more depends on come first, in case the requests do not suffice; what is judged from all
 * responses comes last.
 */
export const assumptions: readonly Assumption[] = [
	listPlace,
	recordIds,
	listLength,
	ticketStatus,
	messageKeys,
	messagePages,
	chatContact,
	chatEscalation,
	chatActivity,
	paging,
	notFound,
	jobs,
	contactShape,
	contactNumber,
	segmentMembers,
	templates,
	csvColumns,
	ticketNumber,
	listOrder,
	rateLimit,
];
