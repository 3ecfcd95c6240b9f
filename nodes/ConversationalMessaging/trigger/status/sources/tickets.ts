import type { StatusSource } from './source';
import { upperCase } from './source';

const STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];

/** API document, `GET /tickets` and section States. Any status may follow any other. */
export const tickets: StatusSource = {
	event: 'ticketStatusChanged',
	noun: 'ticket',
	statusesField: 'ticketStatuses',
	list: 'GET /tickets',
	detail: 'GET /tickets/{id}',
	rowsName: 'tickets',
	pageSize: 200,
	layout: 'pages',
	partitions: STATUSES.map((status) => ({ query: { status }, status })),
	normalizeStatus: upperCase,
	showsNewRecords: true,
	firstStatuses: ['OPEN'],
	filters: { agentId: 'assigneeId', contactId: 'contactId' },
};
