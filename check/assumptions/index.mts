import type { Assumption } from '../assumption.mts';
import { chatContact, chatEscalation, messageKeys, messagePages } from './chats.mts';
import { jobs } from './jobs.mts';
import { lists, paging } from './lists.mts';
import { ticketStatus } from './tickets.mts';

/**
 * All assumptions: what goes wrong without a message if they do not hold. What every user of an operation sees at once,
 * such as templates without names, needs no check.
 */
export const assumptions: readonly Assumption[] = [
	lists,
	paging,
	ticketStatus,
	messageKeys,
	messagePages,
	chatContact,
	chatEscalation,
	jobs,
];
