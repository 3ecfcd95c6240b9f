import { compact } from '../../fields/parameters';
import type { Kind } from '../kind';
import { upperCase } from '../kind';

/** API document, `GET /tickets` and section States. Any status may follow any other. */
export const tickets: Kind = {
	event: 'ticketStatusChanged',
	noun: 'ticket',
	statusesField: 'ticketStatuses',
	list: 'GET /tickets',
	detail: 'GET /tickets/{id}',
	rowsName: 'tickets',
	pageSize: 200,
	layout: 'pages',
	parts: ['OPEN', 'IN_PROGRESS', 'RESOLVED'].map((status) => ({ query: { status }, status })),
	hasEnded: (status) => status === 'CLOSED',
	spell: upperCase,
	strangerWas: null,
	narrow: (filters) =>
		compact({ assigneeId: filters.id('agentId'), contactId: filters.id('contactId') }),
};
