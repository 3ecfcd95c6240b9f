import { valueOf } from '../api/response/response';
import { textOf } from '../api/base/text';
import { listEntry, searchMethod } from './search';

export const searchTickets = searchMethod({
	action: 'List tickets',
	endpoint: 'GET /tickets',
	rowsName: 'tickets',
	paged: true,
	exact: 'GET /tickets/{id}',
	toEntry: (row) => {
		const number = valueOf(row, 'ticketNumber') ?? row.number;
		const title = typeof row.title === 'string' ? row.title : '';
		return listEntry(
			row.id ?? number,
			number === undefined ? title : `#${textOf(number)} ${title}`.trim(),
			row.status,
			row.priority,
		);
	},
});
