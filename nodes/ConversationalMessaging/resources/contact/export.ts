import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { fetchCsv } from '../csvDownload';
import type { Operation } from '../operation';
import { filterFields, filtersIn } from './filters';

export const exportContacts: Operation = {
	name: 'Export',
	value: 'export',
	action: 'Export contacts',
	description: 'Export contacts as one CSV snapshot, as a file or as items',
	endpoint: 'GET /contacts/export',
	fields: [...csvOutputFields, ...filterFields],
	result: 'steps',
	prepare(parameters) {
		const target = csvTarget(parameters);
		const query = filtersIn(parameters);
		return async (context) =>
			await fetchCsv(context, 'GET /contacts/export', { query }, target, 'contacts.csv');
	},
};
