import type { Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import type { ChosenTemplate, NamedTemplate } from '../../parameters/template';
import { memoize } from '../../api/memoize';
import {
	findTemplate,
	MAX_TEMPLATES,
	NAME_TEMPLATE,
	TEMPLATE_LIST,
	templateFromRow,
} from '../../parameters/template';
import { formatValue } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';

/**
 * Name and language of a chosen template. If only the ID is known, the template is looked up among those of the
 * channel, as the picker does, once for all items.
 *
 * @param channelId the chosen channel; undefined for the organization's own templates
 * @throws NodeOperationError if there is no template with that ID
 */
export async function resolveTemplate(
	context: OperationContext,
	template: ChosenTemplate,
	channelId: string | undefined,
): Promise<NamedTemplate> {
	if (template.name !== undefined) return template;
	const list = await listTemplates(context, channelId);
	const { row, notListed } = findTemplate(list, template, channelId);
	const found = templateFromRow(row);
	if (found) return found;
	if (notListed) throw context.invalid(notListed, NAME_TEMPLATE);
	const place = channelId === undefined ? '' : ' in the chosen channel';
	throw context.invalid(
		shown`Template expects the ID of an existing template${place}, but got ${formatValue(template.id)}`,
		'Check the value, or the expression that returns it.',
	);
}

/** The response with the templates of a channel, fetched once for all items. */
export async function listTemplates(
	context: OperationContext,
	channelId: string | undefined,
): Promise<unknown> {
	const { action, endpoint } = TEMPLATE_LIST;
	const query = { limit: MAX_TEMPLATES, channelId };
	const list = await memoize(
		context.client,
		`templates ${channelId ?? ''}`,
		async () => await context.send({ endpoint, action, query }),
	);
	return list.json;
}

/** A template that was typed, by name or in the wrong language, is the usual reason for this rejection. */
export function templateErrorHint(status: number, serviceMessage: string): Shown | undefined {
	if (status !== 404 && status !== 400 && status !== 422) return undefined;
	const isMissing =
		/\btemplate\b/i.test(serviceMessage) &&
		/not (?:be )?found|not exist|unknown|no (?:such )?template/i.test(serviceMessage);
	return isMissing
		? shown`Compare name and language with the dashboard, where each language is a template of its own, or pick the template from the list. For a template that is new in the dashboard, run Template → Sync first.`
		: undefined;
}
