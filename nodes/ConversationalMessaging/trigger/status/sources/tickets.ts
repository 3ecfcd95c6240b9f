import { valueOf } from '../../../api/response/response';
import { titleOf } from '../../title';
import { type StatusSource, listedAt, listsByStatus } from './source';

/** API document, `GET /tickets` and section States. Any status may follow any other. */
export const tickets: StatusSource = {
	event: 'ticketStatusChanged',
	noun: 'ticket',
	...listedAt('GET /tickets'),
	recordEndpoint: 'GET /tickets/{id}',
	statuses: (parameters) => parameters.options('ticketStatuses'),
	lists: () => listsByStatus(['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED']),
	showsNewRecords: true,
	filters: { agentId: 'assigneeId', contactId: 'contactId' },
	nameOf: ({ record }) => {
		const ticketNumber = valueOf(record, 'ticketNumber');
		return { title: titleOf(record.title, ticketNumber), ticketNumber };
	},
	example: { title: 'Example', ticketNumber: 'example', status: 'OPEN' },
};
