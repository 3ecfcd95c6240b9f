import { csvOutputFields, csvTarget, noTemplateRows } from '../../descriptions/csvOutput';
import { downloadCsv } from '../../runner/downloads';
import { planned } from '../../runner/operation';

export const downloadTemplate = planned({
	name: 'Download Template',
	value: 'downloadTemplate',
	action: 'Download contact import template',
	description: 'Get the service’s CSV template for imports',
	endpoint: 'GET /contacts/import-template',
	returnsNoRecords: true,
	fields: csvOutputFields,
	prepare: (parameters) => ({ target: csvTarget(parameters) }),
	run: async (context, { target }) =>
		await downloadCsv(context, {}, target, 'contact-import-template.csv', noTemplateRows(target)),
});
