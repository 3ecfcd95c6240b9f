import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { errorText } from '../../api/errors';
import { statusOf } from '../../api/response';
import { shownMoment } from '../../parameters/dateTime';
import { joinTexts, templateText } from '../../parameters/templateText';
import { showsVariables, valuesIn } from '../../parameters/templateVariables';
import { countOf, withoutUndefined } from '../../parameters/values';
import type { Output } from '../../runner/output';
import { whyRejected } from './whyRejected';
import type { BroadcastPlan } from './plan';
import type { PreparedBroadcast } from './prepareBroadcast';
import { postponedNote } from './start';
import { columnOf } from './variableColumns';

/**
 * What a preview returns.
 *
 * @param row the template's row in the service's list; undefined if it is not listed
 * @param notListed why not, if the list is incomplete
 */
export function previewOutput(
	plan: BroadcastPlan,
	broadcast: PreparedBroadcast,
	row: IDataObject | undefined,
	notListed: string | undefined,
): Output {
	const { audience, template } = broadcast;
	const start = broadcast.startNow();
	const { timeZone } = plan.guards;
	const components = audience.content.mode === 'csv' ? undefined : (plan.components ?? []);
	const message = row && whyRejected(row, components);
	const output = {
		ready: message === undefined,
		name: plan.settings.name,
		recipients: audience.recipients ?? null,
		template: withoutUndefined({
			name: template.name,
			language: template.language,
			category: row?.category ?? broadcast.body.templateCategory,
			status: row && statusOf(row),
			// With name and language, all that Create needs to send this template with these values, by name.
			components,
		}),
		start: {
			text: shownMoment(start.ms, timeZone).text,
			at: shownMoment(start.ms, plan.timeZone).iso,
		},
		firstMessage: row && firstMessage(plan, broadcast, row),
		message,
		notes: [
			...broadcast.notes,
			...postponedNote(start, timeZone),
			...templateNotes(row, notListed),
		],
	};
	return { json: withoutUndefined(output) };
}

/**
 * What a preview returns if Create would stop.
 *
 * @param items how many items Create would reject
 */
export function notReady(error: NodeOperationError, items = 1): Output {
	const notes =
		items > 1
			? [`${countOf(items, 'input item')} cannot be used; the message is about the first`]
			: [];
	return { json: { ready: false, recipients: null, message: errorText(error), notes } };
}

function templateNotes(row: IDataObject | undefined, notListed: string | undefined): string[] {
	if (!row) {
		return [
			notListed === undefined
				? 'The service does not list the template, so its approval and variables are unknown. Check its name, language and channel'
				: `${notListed}, so its approval and variables are unknown`,
		];
	}
	return [
		...(statusOf(row) === undefined ? ['The service does not show the template’s status'] : []),
		...(showsVariables(row.components)
			? []
			: ['The service does not show the template’s text, so its variables are not checked']),
	];
}

/** The message as the first recipient reads it; undefined for a CSV file, whose rows are not read. */
function firstMessage(
	{ components = [] }: BroadcastPlan,
	{ audience: { content, firstRow } }: PreparedBroadcast,
	row: IDataObject,
): string | undefined {
	if (!showsVariables(row.components) || (content.mode === 'csv' && !firstRow)) return undefined;
	const values = valuesIn(components);
	const valueOf = (id: string): string | undefined => {
		if (!firstRow) return values.get(id);
		return firstRow[columnOf(id, Object.keys(firstRow)) ?? ''];
	};
	return joinTexts(templateText(row.components, valueOf));
}
