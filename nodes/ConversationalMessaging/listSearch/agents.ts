import { idOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchAgents = searchMethod({
	action: 'List agents',
	endpoint: 'GET /users',
	rowsName: 'users',
	paged: false,
	toEntry: (row) => listEntry(idOf(row), row.name, row.email),
});
