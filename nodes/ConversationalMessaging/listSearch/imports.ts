import { valueOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchImports = searchMethod({
	action: 'List import jobs',
	endpoint: 'GET /contacts/imports',
	rowsName: 'imports',
	paged: false,
	query: () => ({ limit: 200 }),
	exact: 'GET /contacts/imports/{id}',
	toEntry: (row) => {
		const name = valueOf(row, 'fileName') ?? row.name;
		return listEntry(row.id, name, row.status, valueOf(row, 'createdAt'));
	},
});
