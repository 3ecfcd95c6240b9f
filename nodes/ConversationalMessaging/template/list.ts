import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { type Shown, shown } from '../api/access/shown';
import { statusIn } from '../api/errors';
import { idIn, idOf, valueOf, isRecord, statusOf } from '../api/response/response';
import { formatValue } from '../parameters/values';
import type { OperationContext } from '../runner/operationContext';
import type { ChosenTemplate, NamedTemplate, TemplateRef } from './chosen';

/** The list of templates, for looking one up. */
export const TEMPLATE_LIST = { action: 'List templates', endpoint: 'GET /templates' } as const;

/** A row of GET /templates; undefined if its ID, name or language is missing. */
export function templateFromRow(row: unknown): TemplateRef | undefined {
	if (!isRecord(row)) return undefined;
	const id = idIn(row, ['hsmId', 'id', 'templateId']);
	const { name, language, category } = row;
	if (id === undefined || typeof name !== 'string' || typeof language !== 'string')
		return undefined;
	return { id, name, language, category: typeof category === 'string' ? category : undefined };
}

/**
 * The row of a template in the list: by its ID, if that is known, also one beside its hsm_id, which Get Many returns as `id`. Several
 * channels may have templates of the same name and language: then that of the chosen channel counts, or that of no channel.
 */
export function findTemplate(
	rows: readonly unknown[],
	template: ChosenTemplate,
	channelId: string | undefined,
): IDataObject | undefined {
	const found = rows
		.filter(isRecord)
		.filter((row) =>
			template.id !== undefined
				? [idOf(row), templateFromRow(row)?.id].includes(template.id)
				: row.name === template.name && row.language === template.language,
		);
	const channelOf = (row: IDataObject) => valueOf(row, 'channelId') ?? undefined;
	return (
		found.find((row) => channelOf(row) === channelId) ??
		found.find((row) => channelOf(row) === undefined) ??
		found[0]
	);
}

/**
 * The row of a template in the service's list, which is fetched once for all items; undefined if it is not listed.
 *
 * @param channelId the chosen channel; undefined for the organization's own templates
 * @param isOptional whether only a check needs it. A token that may send need not be allowed to list: then a notice says that
 *   nothing was checked
 */
export async function listedTemplate(
	context: OperationContext,
	template: ChosenTemplate,
	channelId: string | undefined,
	isOptional = false,
): Promise<IDataObject | undefined> {
	const request = { ...TEMPLATE_LIST, query: { channelId } };
	const list = await context.once(
		`templates ${channelId ?? ''}`,
		async () => await context.readList(request, Infinity).catch(asForbidden),
	);
	if ('rows' in list) return findTemplate(list.rows, template, channelId);
	if (!isOptional) throw list;
	context.notify(
		'The variables of the template were not checked, because the token may not list templates (templates.view)',
	);
	return undefined;
}

/** That the token may not list templates, which is so for all items. @throws any other error */
function asForbidden(error: unknown): NodeApiError {
	if (statusIn(error) === 403) return error as NodeApiError;
	throw error;
}

/** A template that can be sent. */
export interface ResolvedTemplate {
	template: NamedTemplate;
	/** Its row in the service's list; undefined if it is not listed, or if nothing needs it. */
	row?: IDataObject;
}

/**
 * Name and language of a chosen template. If only the ID is known, the template is looked up among those of the
 * channel, as the picker does.
 *
 * @param row whether the row is needed, too: for a check only, it is as in `listedTemplate`
 * @throws NodeOperationError if the service lists no template with that ID
 */
export async function resolveTemplate(
	context: OperationContext,
	chosen: ChosenTemplate,
	channelId: string | undefined,
	row?: 'needed' | 'forCheck',
): Promise<ResolvedTemplate> {
	const isNamed = chosen.name !== undefined;
	if (isNamed && row === undefined) return { template: chosen };
	const isOptional = isNamed && row === 'forCheck';
	const found = await listedTemplate(context, chosen, channelId, isOptional);
	const template = isNamed ? chosen : templateFromRow(found);
	if (template) return { template, row: found };
	const place = channelId === undefined ? '' : ' in the chosen channel';
	throw context.invalid(
		shown`Template expects the ID of a template that the service lists${place}, but got ${formatValue(chosen.id)}`,
		'Check the value, or the expression that returns it. For a template that is not listed, enter name and language code under By Name, separated by a space, e.g. ticket_update en_US.',
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
