import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { importParameter } from '../../descriptions/records';
import { downloadCsv } from '../../runner/downloads';
import { planned } from '../../runner/operation';

export const getFailedRows = planned({
	name: 'Get Failed Rows',
	value: 'getFailedRows',
	action: 'Get failed rows of contact import',
	description: 'Get the rows that an import job rejected, as a CSV file or as items',
	endpoint: 'GET /contacts/imports/{id}/errors',
	returnsNoRecords: true,
	of: importParameter,
	fields: csvOutputFields,
	prepare: (parameters) => ({
		target: csvTarget(parameters),
		path: { id: importParameter.id(parameters) },
	}),
	run: async (context, { target, path }) =>
		await downloadCsv(context, { path }, target, 'failed-rows.csv'),
});
