import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { textOf } from '../../api/base/text';
import { errorText } from '../../api/errors';
import { statusOf } from '../../api/response/response';
import { shownMoment } from '../../parameters/dateTime';
import { countOf, formatValue, withoutUndefined } from '../../parameters/values';
import { customerId } from '../../phone/customerId';
import { minutesText } from '../../runner/backgroundJob';
import type { Output } from '../../runner/output';
import { unapprovedStatus } from '../../template/list';
import { templateText } from '../../template/text';
import { valuesIn, whyUnfilled } from '../../template/values';
import { partsWithoutField, showsVariables, variablesOf } from '../../template/variables';
import type { Audience } from './audience/audience';
import type { Broadcast } from './complete';
import type { BroadcastPlan } from './plan';
import { plusOneNote, recipientsByCountry } from './recipientCountries';
import { broadcastStart } from './start';

export async function previewOutput(plan: BroadcastPlan, broadcast: Broadcast): Promise<Output> {
	const { audience, template, row } = broadcast;
	const start = broadcastStart(plan, clock.now());
	const { recipientTimeZone } = plan.guards;
	const components = audience.file ? undefined : (plan.components ?? []);
	const message = row && whyRejected(row, components);
	const category = row?.category ?? broadcast.body.templateCategory;
	const output = {
		ready: message === undefined,
		name: plan.settings.name,
		recipients: audience.count ?? null,
		recipientsByCountry: audience.addresses && (await recipientsByCountry(audience.addresses)),
		firstRecipient: audience.addresses?.[0] ? customerId(audience.addresses[0]).shown : undefined,
		firstRow: audience.firstRow,
		firstMessage: row && components && firstMessage(row, components),
		start: {
			text: shownMoment(start.ms, recipientTimeZone).text,
			at: shownMoment(start.ms, plan.timeZone).iso,
		},
		sending: { messages: audience.count ?? null, text: sendingText(plan, audience) },
		message,
		notes: [
			...audience.notes,
			...(await plusOneNote(audience.addresses ?? [], textOf(category))),
			...start.notes,
			...templateNotes(row),
			...(audience.file && row ? partNotes(row) : []),
		],
		// Last, because it is wide: n8n's table shows the columns before it without scrolling.
		template: withoutUndefined({
			name: template.name,
			language: template.language,
			category,
			status: row && statusOf(row),
			// With name and language, all that Create needs to send this template with these values, by name.
			components,
		}),
	};
	return { json: withoutUndefined(output) };
}

/** What Create does with the same settings: "Sends a list of 9 numbers. Waits up to 10 minutes for the end." */
function sendingText({ wait, onceKey }: BroadcastPlan, { body, count }: Audience): string {
	const rows = count === undefined ? '' : ` with ${countOf(count, 'row')}`;
	const audiences = {
		csv: `Sends a CSV file${rows}, a message for each row.`,
		list: `Sends a list of ${countOf(count ?? 0, 'recipient')}, a message to each.`,
		segment: 'Sends to the segment: a message to each member that it has at the start.',
	};
	return [
		audiences[body.audienceMode],
		onceKey !== undefined &&
			`Sends nothing if a broadcast was sent for ${formatValue(onceKey)} before.`,
		wait && `Waits up to ${minutesText(wait.maxMs)} for the end.`,
	]
		.filter(Boolean)
		.join(' ');
}

/** What a preview returns if Create would stop. @param items how many items Create would reject */
export function notReady(error: NodeOperationError, items = 1): Output {
	const { itemIndex } = error.context;
	const notes = [
		items > 1 && `${countOf(items, 'input item')} cannot be used; the message is about the first`,
		typeof itemIndex === 'number' &&
			`The message is about item ${itemIndex}. Item numbers start at 0`,
	].filter((note) => note !== false);
	return { json: { ready: false, recipients: null, message: errorText(error), notes } };
}

function templateNotes(row: IDataObject | undefined): string[] {
	if (!row) {
		return [
			'The service does not list the template, so its approval and variables are unknown. Check its name, language and channel',
		];
	}
	return [
		statusOf(row) === undefined && 'The service does not show the template’s status',
		!showsVariables(row.components) &&
			'The service does not show the template’s text, so its variables are not checked',
	].filter((note) => note !== false);
}

function partNotes(row: IDataObject): string[] {
	const parts = partsWithoutField(variablesOf(row.components));
	return parts === ''
		? []
		: [`The template has parts without a field: ${parts}. Check that its CSV has columns for them`];
}

/** The message as the recipients read it; undefined if the service does not show the template's text. */
function firstMessage(row: IDataObject, components: readonly unknown[]): string | undefined {
	if (!showsVariables(row.components)) return undefined;
	const values = valuesIn(components);
	return templateText(row.components, (id) => values.get(id));
}

/**
 * Why the service would reject a broadcast with this template, as far as its row shows that.
 *
 * @param components the values of its variables; undefined if a CSV contains them
 */
export function whyRejected(
	row: IDataObject,
	components: readonly unknown[] | undefined,
): string | undefined {
	const status = unapprovedStatus(row);
	if (status !== undefined) {
		return `The template is not approved: its status is ${status}. Choose another one, or run Template → Sync to refresh its status.`;
	}
	const unfilled = components && whyUnfilled(row.components, valuesIn(components).keys());
	return unfilled && `${String(unfilled.message)}. ${unfilled.step}`;
}
