import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { clock } from '../../api/clock';
import { shownMoment } from '../../parameters/dateTime';
import type { TemplateRef } from '../../parameters/template';
import { countOf, withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import { resolveTemplate } from '../shared/resolveTemplate';
import type { AudienceInput } from './csvRows';
import type { BroadcastPlan } from './plan';
import type { Preparation, PreparedAudience, RecipientCounts } from './audiences/preparedAudience';
import { prepareAudience } from './prepareAudience';
import { startOf, type Start } from './start';

/** A broadcast as it is sent. */
export interface PreparedBroadcast {
	/** The request's body without the audience. */
	body: IDataObject;
	audience: PreparedAudience;
	start: Start;
	template: Partial<TemplateRef> & { name: string; language: string };
	/** What differs from what the user entered, as sentences. */
	changes: string[];
}

/**
 * Everything that happens before a broadcast is sent: Create sends the result, Preview shows it. So a preview cannot
 * differ from what is sent, except for what the service changes in between.
 *
 * @param inputs what the items contribute, or []
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if there is no such template, and whatever `reject` throws
 */
export async function prepareBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: AudienceInput[],
	preparation: Preparation,
): Promise<PreparedBroadcast> {
	const { settings, guards, timeZone } = plan;
	const template = await resolveTemplate(context, plan.template, settings.channelId);
	const audience = await prepareAudience(context, plan, inputs, template, preparation);
	const blocker = blockerIn(context, audience, guards.maxRecipients);
	if (blocker) preparation.reject(blocker);
	// Reading a large audience takes minutes, so the time is read afterwards.
	const start = startOf(settings.sendAt, guards, clock.now(), timeZone);
	const body = withoutUndefined({
		...settings,
		templateId: template.id,
		templateName: template.name,
		templateLanguage: template.language,
		templateCategory: settings.templateCategory ?? categoryOf(template),
		templateComponents: plan.components,
		scheduleType: start.scheduleType,
		sendAt: start.sendAt,
	});
	const changes = [...leftOut(audience.counts), ...delayed(start, guards.timeZone)];
	return { body, audience, start, template, changes };
}

function blockerIn(
	context: OperationContext,
	{ content, counts: { sent, moreThan, excluded } }: PreparedAudience,
	max: number | undefined,
): NodeOperationError | undefined {
	// Contacts may join a segment until the start, and the service may not show the members of a dynamic one.
	if (sent === 0 && content.mode !== 'segment') {
		return context.invalid(
			'The broadcast has no recipients',
			excluded > 0
				? 'Nothing was sent. All recipients are members of Exclude Segment.'
				: 'Nothing was sent. Check the audience.',
		);
	}
	if (max === undefined || (sent !== undefined && sent <= max)) return undefined;
	if (moreThan !== undefined) {
		return context.invalid(
			`The broadcast has more recipients than Max Recipients allows: ${max}`,
			'Nothing was sent. Raise Max Recipients, or choose a smaller audience.',
		);
	}
	return sent === undefined
		? context.invalid(
				`The number of recipients is unknown, so Max Recipients (${max}) cannot be checked`,
				'Nothing was sent. Choose another audience, or remove Max Recipients.',
			)
		: context.invalid(
				`The broadcast has ${countOf(sent, 'recipient')}, but Max Recipients is ${max}`,
				'Nothing was sent. Raise Max Recipients, or choose a smaller audience.',
			);
}

function leftOut(counts: RecipientCounts): string[] {
	const { repeated, skipsRepeated, equalRows, excluded, withoutNumber } = counts;
	return [
		...(equalRows > 0 ? [`Left out ${countOf(equalRows, 'row')} equal to an earlier one`] : []),
		...(repeated > 0 && skipsRepeated
			? [`Left out ${countOf(repeated, 'repeated phone number')}`]
			: []),
		...(excluded > 0 ? [`Left out ${countOf(excluded, 'member')} of Exclude Segment`] : []),
		...(withoutNumber > 0
			? [`Left out ${countOf(withoutNumber, 'contact')} without a WhatsApp ID`]
			: []),
	];
}

function delayed({ ms, postponedFrom }: Start, timeZone: string): string[] {
	if (postponedFrom === undefined) return [];
	const [from, to] = [postponedFrom, ms].map((time) => shownMoment(time, timeZone).text);
	return [`Quiet Hours: starts ${to}, instead of ${from}`];
}

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: Partial<TemplateRef>): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
