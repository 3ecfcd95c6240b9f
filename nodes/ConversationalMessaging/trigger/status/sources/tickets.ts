import type { StatusSource } from './source';
import { listsByStatus, upperCase } from './source';

/** API document, `GET /tickets` and section States. Any status may follow any other. */
export const tickets: StatusSource = {
	event: 'ticketStatusChanged',
	noun: 'ticket',
	list: 'GET /tickets',
	recordEndpoint: 'GET /tickets/{id}',
	rowsName: 'tickets',
	pageSize: 200,
	hasPages: true,
	statuses: (parameters) => parameters.options('ticketStatuses'),
	lists: () => listsByStatus(['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED']),
	normalizeStatus: upperCase,
	showsNewRecords: true,
	filters: { agentId: 'assigneeId', contactId: 'contactId' },
	nameOf: ({ record: { title, ticketNumber } }) => ({ title, ticketNumber }),
	example: { title: 'Example', ticketNumber: 'example', status: 'OPEN' },
};
