import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { downloadCsv } from '../../runner/downloads';
import { planned } from '../../runner/operation';
import { contactFilterFields, filtersIn } from './filters';

/** Without a row, nothing else shows that a filter or the token may be a wrong one. */
const NO_CONTACTS =
	'The export contains no contacts. Check the filters, and whether the token belongs to the right organization.';

export const exportContacts = planned({
	name: 'Export',
	value: 'export',
	action: 'Export contacts',
	description:
		'Export contacts as a CSV file or as items. Custom fields may be missing: Get Many returns them.',
	endpoint: 'GET /contacts/export',
	returnsNoRecords: true,
	fields: [...csvOutputFields, ...contactFilterFields],
	prepare: (parameters) => ({ target: csvTarget(parameters), query: filtersIn(parameters) }),
	run: async (context, { target, query }) =>
		await downloadCsv(context, { query }, target, 'contacts.csv', NO_CONTACTS),
});
