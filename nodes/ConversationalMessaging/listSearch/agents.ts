import { listEntry, searchMethod } from './search';

export const searchAgents = searchMethod({
	action: 'List agents',
	endpoint: 'GET /users',
	rowsName: 'users',
	paged: false,
	toEntry: (row) => listEntry(row.id, row.name, row.email),
});
