import { valueOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchSegments = searchMethod({
	action: 'List segments',
	endpoint: 'GET /segments',
	rowsName: 'segments',
	paged: false,
	toEntry: (row) =>
		listEntry(row.id, row.name, valueOf(row, 'isDynamic') === true ? 'dynamic' : undefined),
});
