import { idOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchBroadcasts = searchMethod({
	action: 'List broadcasts',
	endpoint: 'GET /broadcasts',
	rowsName: 'broadcasts',
	paged: true,
	exact: 'GET /broadcasts/{id}',
	toEntry: (row) => listEntry(idOf(row), row.name, row.status),
});
