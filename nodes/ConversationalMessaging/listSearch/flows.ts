import { listEntry, searchMethod } from './search';

export const searchFlows = searchMethod({
	action: 'List flows',
	endpoint: 'GET /flows',
	rowsName: 'flows',
	paged: false,
	toEntry: (row) => listEntry(row.id, row.name, row.keyword),
});
