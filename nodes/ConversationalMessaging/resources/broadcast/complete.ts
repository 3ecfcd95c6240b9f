import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { clock } from '../../api/base/clock';
import type { Upload } from '../../api/files/multipart';
import { withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import type { NamedTemplate } from '../../template/chosen';
import { checkableTemplate, resolveTemplate } from '../../template/list';
import { whyUnfilled } from '../../template/values';
import type { Audience } from './audience/audience';
import { checkRecipients } from './audience/checkRecipients';
import { keptRecipients } from './audience/keptRecipients';
import type { BroadcastPlan } from './plan';
import type { Start } from './start';
import { broadcastStart } from './start';

/** A broadcast as it is sent. */
export interface Broadcast {
	/** The request's body, without the start, which is not known before it is sent. */
	body: IDataObject;
	/** The file that makes the request a multipart one. */
	upload?: Omit<Upload, 'fields'>;
	/** When it starts if it is sent at this moment. */
	startNow: () => Start;
	template: NamedTemplate;
	audience: Audience;
}

/**
 * Everything that happens between reading a plan and sending a broadcast: Create sends the result, Preview shows it.
 *
 * @param inputs what the user chose as the audience for each item, if all of them make one broadcast; otherwise []
 * @param isPreview whether to find out who the recipients are even if no guard needs it
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if the broadcast cannot be sent, or a guard stops it
 */
export async function completeBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	inputs: unknown[],
	isPreview = false,
): Promise<Broadcast> {
	const { settings, guards } = plan;
	if (!isPreview) await requireValues(context, plan);
	const template = await resolveTemplate(context, plan.template, settings.channelId);

	const isCounted = isPreview || guards.maxRecipients !== undefined;
	const chosen: [unknown, ...unknown[]] = [plan.audience, ...inputs.slice(1)];
	const wanted = { template, guards, isCounted, isPreview };
	const found = await plan.kind.find(context, chosen, wanted);
	const audience = 'recipients' in found ? await keptRecipients(context, found, guards) : found;
	checkRecipients(context, audience, guards.maxRecipients);

	return {
		body: withoutUndefined({
			...settings,
			templateId: template.id,
			templateName: template.name,
			templateLanguage: template.language,
			templateCategory: settings.templateCategory ?? categoryOf(template),
			templateComponents: plan.components,
			...audience.body,
		}),
		upload: audience.file && { ...audience.file, partName: plan.partName },
		startNow: () => broadcastStart(plan.sendAt, guards, clock.now(), plan.timeZone),
		template,
		audience,
	};
}

/**
 * A template that is entered by name, or by an expression, has no fields for its variables, so nobody was asked for them. A
 * preview shows which ones.
 */
async function requireValues(
	context: OperationContext,
	{ kind, template, components, settings }: BroadcastPlan,
): Promise<void> {
	if (kind.hasCsv || components) return;
	const row = (await checkableTemplate(context, template, settings.channelId))?.row;
	const unfilled = row && whyUnfilled(row.components, []);
	if (unfilled) throw context.invalid(unfilled.message, shown`Nothing was sent. ${unfilled.step}`);
}

/** The category of a template that was looked up, if a broadcast accepts it. */
function categoryOf({ category }: NamedTemplate): string | undefined {
	const known = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
	return known.find((name) => name === category?.toUpperCase());
}
