import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../api/base/clock';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { NamedTemplate } from '../../template/chosen';
import { resolveTemplate } from '../../template/list';
import type { Audience, AudienceInput } from './audience/audience';
import { checkRecipients } from './audience/checkRecipients';
import { checkExclusion, readExclusion } from './audience/exclusion';
import type { BroadcastPlan } from './plan';
import type { Start } from './start';
import { broadcastStart } from './start';

/** A broadcast as it is sent. */
export interface PreparedBroadcast {
	/** The request's body, without the audience, and without the start, which is not known before it is sent. */
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
 * @param isPreview whether to find out who the recipients are even if no guard needs it
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if the broadcast cannot be sent, or a guard stops it
 */
export async function prepareBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: AudienceInput[],
	isPreview = false,
): Promise<PreparedBroadcast> {
	const { settings, sendAt, guards, timeZone } = plan;
	const template = await resolveTemplate(context, plan.template, settings.channelId);
	const exclusion = await readExclusion(context, guards);
	const isCounted = isPreview || guards.maxRecipients !== undefined;
	const audience = await plan.audience.find(
		context,
		{ template, guards, exclusion, isCounted, isPreview },
		inputs,
	);
	const notes = await checkExclusion(context, exclusion, audience.addresses ?? [], guards);
	checkRecipients(context, audience, guards.maxRecipients);
	const body = withoutUndefined({
		...settings,
		templateId: template.id,
		templateName: template.name,
		templateLanguage: template.language,
		templateCategory: settings.templateCategory ?? categoryOf(template),
		templateComponents: plan.components,
	});
	return {
		body,
		audience,
		startNow: () => broadcastStart(sendAt, guards, clock.now(), timeZone),
		template,
		notes: [...audience.notes, ...exclusion.flatMap((segment) => segment.notes), ...notes],
	};
}

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: NamedTemplate): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
