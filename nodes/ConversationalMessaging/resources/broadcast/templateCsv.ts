import { variablesOf } from '../../parameters/templateVariables';
import type { TemplateRef } from '../../parameters/template';
import type { OperationContext } from '../../runner/operationContext';
import { listTemplates } from '../shared/resolveTemplate';
import type { TemplateCsv } from './phoneColumn';
import { templateState } from './templateCheck';

const FORBIDDEN = 403;

/**
 * The template's own CSV, and its variables, each fetched when it is needed, once for all items.
 *
 * @param channelId the chosen channel; undefined for the organization's own templates
 * @param canDoWithout if the token may not read templates: whether the variables are then [], instead of an error
 */
export function templateCsv(
	context: OperationContext,
	template: Partial<TemplateRef> & { name: string; language: string },
	channelId: string | undefined,
	canDoWithout: boolean,
): TemplateCsv {
	const { name, language } = template;
	const query = { templateName: name, templateLanguage: language };
	return {
		columns: async () =>
			await context.memoize(`csv template ${name} ${language}`, async () => {
				const example = await context.download({ endpoint: 'GET /broadcasts/csv-template', query });
				return await context.readCsvHeader(example);
			}),
		variables: async () => {
			const accepted = canDoWithout ? [FORBIDDEN] : [];
			const list = await listTemplates(context, channelId, accepted);
			const { row } = templateState(list, template, channelId);
			return variablesOf(row?.components).map(({ id }) => id);
		},
	};
}
