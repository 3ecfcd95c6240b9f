import type { IDataObject } from 'n8n-workflow';
import type { Shown } from '../../api/access/shown';
import { shown } from '../../api/access/shown';
import type { ChosenTemplate, NamedTemplate } from '../../parameters/template';
import { statusIn } from '../../api/errors';
import { memoize } from '../../api/memoize';
import { statusOf } from '../../api/response/response';
import {
	findTemplate,
	MAX_TEMPLATES,
	NAME_TEMPLATE,
	TEMPLATE_LIST,
	templateFromRow,
} from '../../parameters/template';
import {
	MAX_VARIABLES,
	partNames,
	partsWithoutField,
	showsVariables,
	valuesIn,
	variablesOf,
} from '../../parameters/templateVariables';
import { formatValue } from '../../parameters/values';
import { ADD_COMPONENTS } from '../../parameters/variableValues';
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

/**
 * The row of a template in the service's list, to check it before something is sent. A token that may send need not be allowed to
 * list: then a notice says that nothing was checked.
 *
 * @returns without a row if it is not listed; undefined if the list could not be read
 */
export async function checkableTemplate(
	context: OperationContext,
	template: ChosenTemplate,
	channelId: string | undefined,
): Promise<{ row?: IDataObject } | undefined> {
	const key = `checkable templates ${channelId ?? ''}`;
	const list = await memoize(
		context.client,
		key,
		async () =>
			await listTemplates(context, channelId).catch((error: unknown) => {
				context.throwIfStopped();
				if (statusIn(error) !== 403) throw error;
				context.notify(
					'The variables of the template were not checked, because the token may not list templates (templates.view)',
				);
				return undefined;
			}),
	);
	return list === undefined ? undefined : findTemplate(list, template, channelId);
}

/**
 * Why a template cannot be sent with these values, and what to do; undefined if nothing shows that.
 *
 * @param listed its components in the service's list
 * @param components as they are sent
 * @param ids of the variables that have a value
 */
export function whyUnfilled(
	listed: unknown,
	components: readonly unknown[],
	ids: readonly string[] = [...valuesIn(components).keys()],
): { message: Shown; step: string } | undefined {
	if (!showsVariables(listed)) return undefined;
	const variables = variablesOf(listed);
	if (variables.length > MAX_VARIABLES)
		return {
			message: shown`The template has more than ${MAX_VARIABLES} variables`,
			step: 'Choose another one.',
		};
	const parts = partsWithoutField(listed).filter(({ isIn }) => !isIn(components));
	if (parts.length > 0) {
		const message = shown`The template has parts without a field: ${partNames(parts)}`;
		return { message, step: ADD_COMPONENTS };
	}
	const missing = variables.find(({ id, required }) => required && !ids.includes(id));
	return (
		missing && {
			message: shown`Template variable ${missing.label} is empty`,
			step: 'Enter a value for it.',
		}
	);
}

/** An approved template's status begins so, e.g. "Active - Quality pending". Which ones there are is undocumented. */
const APPROVED = /^(?:approved|active|enabled|live|available)(?!\p{L})/iu;

/** The status of a template in the service's list that is not approved; undefined if it is, or shows none. */
export function unapprovedStatus(row: IDataObject): string | undefined {
	const status = statusOf(row);
	return status === undefined || APPROVED.test(status) ? undefined : status;
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
