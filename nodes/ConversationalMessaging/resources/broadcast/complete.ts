import type { IDataObject } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import type { Upload } from '../../api/files/multipart';
import { countOf, readOption, withoutUndefined } from '../../parameters/values';
import type { OperationContext } from '../../runner/operationContext';
import { categoryOptions } from '../../template/fields';
import { resolveTemplate, type ResolvedTemplate } from '../../template/list';
import { whyUnfilled } from '../../template/values';
import type { Audience } from './audience/audience';
import type { BroadcastPlan } from './plan';

export interface Broadcast extends ResolvedTemplate {
	/** The request's body, without the start, which is not known before it is sent. */
	body: IDataObject;
	/** The file that makes the request a multipart one. */
	upload?: Omit<Upload, 'fields'>;
	audience: Audience;
}

/**
 * The second of three steps: what the plan leaves open is read from the service. The first is `readPlan`; Create then sends the
 * result, Preview shows it.
 *
 * @param chosen what the user chose as the audience: for one item, or for all that make one broadcast
 * @param isPreview whether to find out who the recipients are even if no guard needs it
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if the broadcast cannot be sent, or a guard stops it
 */
export async function completeBroadcast(
	context: OperationContext,
	plan: BroadcastPlan,
	chosen: [unknown, ...unknown[]],
	isPreview = false,
): Promise<Broadcast> {
	const { settings, guards } = plan;
	const { template, row } = await templateOf(context, plan, isPreview);

	const isCounted = isPreview || guards.maxRecipients !== undefined;
	const wanted = { template, guards, isCounted, isPreview };
	const audience = await plan.kind.find(context, chosen, wanted);
	checkRecipients(context, audience, guards.maxRecipients);

	return {
		body: withoutUndefined({
			...settings,
			templateId: template.id,
			templateName: template.name,
			templateLanguage: template.language,
			templateCategory: settings.templateCategory ?? readCategory(template.category).value,
			templateComponents: plan.components,
			...audience.body,
		}),
		upload: audience.file && { ...audience.file, partName: plan.partName },
		template,
		row,
		audience,
	};
}

/**
 * The template and, where something needs it, its row in the service's list.
 *
 * @throws NodeOperationError if it is not listed, but only its ID is known; or if it has variables, and nobody was asked for
 *   them: one that is entered by name, or by an expression, has no fields for them. A preview shows which ones
 */
async function templateOf(
	context: OperationContext,
	{ kind, template, components, settings: { channelId } }: BroadcastPlan,
	isPreview: boolean,
): Promise<ResolvedTemplate> {
	const isChecked = !isPreview && !kind.hasCsv && !components;
	const need = isPreview ? 'needed' : isChecked ? 'forCheck' : undefined;
	const found = await resolveTemplate(context, template, channelId, need);
	const unfilled = isChecked && found.row ? whyUnfilled(found.row.components, []) : undefined;
	if (!unfilled) return found;
	throw context.invalid(unfilled.message, shown`Nothing was sent. ${unfilled.step}`);
}

const readCategory = readOption(categoryOptions.map(({ value }) => String(value)));

function checkRecipients(
	context: OperationContext,
	{ body, count, notes }: Audience,
	max: number | undefined,
): void {
	// Contacts may join a segment until the start.
	if (count === 0 && body.audienceMode !== 'segment') {
		throw context.invalid(
			'The broadcast has no recipients',
			shown`Nothing was sent. ${sentences(notes)}Check the audience and the options.`,
		);
	}
	if (max === undefined) return;
	if (count === undefined) {
		throw context.invalid(
			shown`The number of recipients is unknown, so Max Recipients (${max}) cannot be checked`,
			shown`Nothing was sent. ${sentences(notes)}Correct the audience, or remove Max Recipients.`,
		);
	}
	if (max > 0 && count <= max) return;
	throw context.invalid(
		shown`The broadcast has ${countOf(count, 'recipient')}, but Max Recipients is ${max}`,
		'Nothing was sent. Raise Max Recipients, or choose a smaller audience.',
	);
}

const sentences = (notes: string[]): string => notes.map((note) => `${note}. `).join('');
