import { csvOutputFields, csvTarget, noTemplateRows } from '../../descriptions/csvOutput';
import { downloadCsv } from '../../runner/downloads';
import { planned } from '../../runner/operation';
import { requiredTemplate } from '../../template/chosen';
import { templateField, templateModes } from '../../template/fields';
import { resolveTemplate, templateErrorHint } from '../../template/list';

export const downloadCsvTemplate = planned({
	name: 'Download CSV Template',
	value: 'downloadCsvTemplate',
	action: 'Download broadcast CSV template',
	description: 'Get a CSV file with the columns that a template needs',
	endpoint: 'GET /broadcasts/csv-template',
	otherEndpoints: ['GET /templates'],
	returnsNoRecords: true,
	errorHint: templateErrorHint,
	fields: [
		templateField({ required: true, modes: templateModes, description: 'The template' }),
		...csvOutputFields,
	],
	prepare: (parameters) => ({
		target: csvTarget(parameters),
		template: requiredTemplate(parameters),
	}),
	async run(context, { target, template: chosen }) {
		const { template } = await resolveTemplate(context, chosen, undefined);
		const query = { templateName: template.name, templateLanguage: template.language };
		return await downloadCsv(context, { query }, target, 'broadcast.csv', noTemplateRows(target));
	},
});
