import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import type { NamedTemplate } from '../../parameters/template';
import { countOf, withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import { resolveTemplate } from '../shared/template';
import type { Audience, AudienceInput } from './audience/audience';
import { checkExclusion, readExclusion } from './audience/exclusion';
import type { BroadcastPlan } from './plan';
import { startOf, type Start } from './start';

/** A broadcast as it is sent. */
export interface PreparedBroadcast {
	/** The request's body, without audience and start. */
	body: IDataObject;
	audience: Audience;
	/** When it starts if it is sent at this moment. */
	startNow: () => Start;
	template: NamedTemplate;
	/** What differs from what the user entered, and what is unknown, besides the start. */
	notes: string[];
}

/**
 * Everything that happens before a broadcast is sent: Create sends the result, Preview shows it.
 *
 * @param inputs what the items contribute, or []
 * @param isCounted whether to find out the number of recipients even if no guard needs it
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if the broadcast cannot be sent, or a guard stops it
 */
export async function prepareBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: AudienceInput[],
	isCounted = plan.guards.maxRecipients !== undefined,
): Promise<PreparedBroadcast> {
	const { settings, guards, timeZone } = plan;
	const template = await resolveTemplate(context, plan.template, settings.channelId);
	const exclusion = await readExclusion(context, guards);
	const audience = await plan.audience.find(
		context,
		{ template, guards, exclusion, isCounted },
		inputs,
	);
	const notes = checkExclusion(context, exclusion, audience.addresses ?? [], guards);
	checkRecipients(context, audience, guards.maxRecipients);
	const body = withoutUndefined({
		...settings,
		// The start is not known before the request is sent.
		sendAt: undefined,
		templateId: template.id,
		templateName: template.name,
		templateLanguage: template.language,
		templateCategory: settings.templateCategory ?? categoryOf(template),
		templateComponents: plan.components,
	});
	return {
		body,
		audience,
		startNow: () => startOf(settings.sendAt, guards, clock.now(), timeZone),
		template,
		notes: [...audience.notes, ...exclusion.notes, ...notes],
	};
}

/** @throws NodeOperationError if there are no recipients, or too many */
function checkRecipients(
	context: OperationContext,
	{ body, recipients, isMinimum, notes }: Audience,
	max: number | undefined,
): void {
	// Contacts may join a segment until the start, and the service may not show the members of a dynamic one.
	if (recipients === 0 && body.audienceMode !== 'segment') {
		throw context.invalid(
			'The broadcast has no recipients',
			['Nothing was sent', ...notes, 'Check the audience and the options.'].join('. '),
		);
	}
	if (max === undefined) return;
	if (recipients === undefined) {
		throw context.invalid(
			`The number of recipients is unknown, so Max Recipients (${max}) cannot be checked`,
			['Nothing was sent', ...notes, 'Correct the audience, or remove Max Recipients.'].join('. '),
		);
	}
	if (recipients <= max) return;
	throw context.invalid(
		`The broadcast has ${isMinimum ? 'at least ' : ''}${countOf(recipients, 'recipient')}, but Max Recipients is ${max}`,
		'Nothing was sent. Raise Max Recipients, or choose a smaller audience.',
	);
}

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: NamedTemplate): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
