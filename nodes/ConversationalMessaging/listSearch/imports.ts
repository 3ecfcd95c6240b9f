import { listEntry, searchMethod } from './search';

export const searchImports = searchMethod({
	action: 'List import jobs',
	endpoint: 'GET /contacts/imports',
	rowsName: 'imports',
	paged: false,
	query: () => ({ limit: 200 }),
	exact: 'GET /contacts/imports/{id}',
	toEntry: (row) => listEntry(row.id, row.fileName ?? row.name, row.status, row.createdAt),
});
