import { listEntry, searchMethod } from './search';

export const searchBroadcasts = searchMethod({
	action: 'List broadcasts',
	endpoint: 'GET /broadcasts',
	rowsName: 'broadcasts',
	paged: true,
	exact: 'GET /broadcasts/{id}',
	toEntry: (row) => listEntry(row.id, row.name, row.status),
});
