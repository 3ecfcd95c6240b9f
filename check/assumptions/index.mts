import type { Assumption } from '../assumption.mts';
import { jobs, templates } from './broadcasts.mts';
import { chatContact, chatEscalation, messageKeys, messagePages } from './chats.mts';
import { contactNumber, contactShape, segmentMembers } from './contacts.mts';
import { rateLimit } from './limits.mts';
import { lists, notFound, paging } from './lists.mts';
import { ticketStatus } from './tickets.mts';

/**
 * All assumptions. Those that more depends on come first, in case the requests do not suffice; what is judged from all
 * responses comes last.
 */
export const assumptions: readonly Assumption[] = [
	lists,
	ticketStatus,
	messageKeys,
	messagePages,
	chatContact,
	chatEscalation,
	paging,
	notFound,
	jobs,
	contactShape,
	contactNumber,
	segmentMembers,
	templates,
	rateLimit,
];
