import { idOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchFlows = searchMethod({
	action: 'List flows',
	endpoint: 'GET /flows',
	rowsName: 'flows',
	paged: false,
	toEntry: (row) => listEntry(idOf(row), row.name, row.keyword),
});
