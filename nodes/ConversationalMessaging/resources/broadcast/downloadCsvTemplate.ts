import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { downloadCsv } from '../../runner/csvDownload';
import { planned } from '../../runner/operation';

export const downloadCsvTemplate = planned({
	name: 'Download CSV Template',
	value: 'downloadCsvTemplate',
	action: 'Download broadcast CSV template',
	description: 'Get a CSV file with the columns that a template needs',
	endpoint: 'GET /broadcasts/csv-template',
	returnsNoRecords: true,
	fields: [
		{
			displayName: 'Template Name',
			name: 'templateName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. spring_sale',
			description: 'Name of the template',
		},
		{
			displayName: 'Template Language',
			name: 'templateLanguage',
			type: 'string',
			default: 'en_US',
			required: true,
			description: 'Language code of the template',
		},
		...csvOutputFields,
	],
	prepare: (parameters) => ({
		target: csvTarget(parameters),
		query: {
			templateName: parameters.required('templateName'),
			templateLanguage: parameters.required('templateLanguage'),
		},
	}),
	run: async (context, { target, query }) =>
		await downloadCsv(context, { query }, target, 'broadcast.csv'),
});
