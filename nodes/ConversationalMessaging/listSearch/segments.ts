import { listEntry, searchMethod } from './search';

export const searchSegments = searchMethod({
	action: 'List segments',
	endpoint: 'GET /segments',
	rowsName: 'segments',
	paged: false,
	toEntry: (row) => listEntry(row.id, row.name, row.isDynamic === true ? 'dynamic' : undefined),
});
