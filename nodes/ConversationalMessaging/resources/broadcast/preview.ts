import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import type { Batch } from '../../runner/batch';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { listTemplates } from '../shared/resolveTemplate';
import type { BroadcastInput } from './batch';
import { checkSettings, ONE_BROADCAST } from './batch';
import { previewFields } from './fields';
import type { BroadcastPlan } from './plan';
import { readPlan } from './plan';
import { prepareBroadcast, type PreparedBroadcast } from './prepareBroadcast';
import { headline, previewOutput } from './previewOutput';
import { templateState, type TemplateState } from './templateCheck';

/** What Create with the same settings would do. Only reads. */
export const preview = planned({
	name: 'Preview',
	value: 'preview',
	action: 'Preview broadcast',
	description: 'Show what Create would send with the same settings, and to whom. Sends nothing.',
	endpoint: 'GET /templates',
	otherEndpoints: ['GET /broadcasts/csv-template', 'GET /segments/{id}'],
	fields: previewFields,
	prepare(parameters) {
		const rejections: NodeOperationError[] = [];
		const plan = readPlan(parameters, (error) => rejections.push(error));
		return { ...plan, rejections };
	},
	batch({ audience, sameForAll }): Batch<BroadcastInput> | undefined {
		if (!('input' in audience)) return undefined;
		const input = { ...audience.input, settings: sameForAll };
		return { key: ONE_BROADCAST, input, check: checkSettings };
	},
	run: previewBroadcast,
});

interface PreviewPlan extends BroadcastPlan {
	/** What Create would reject before it sends anything. */
	rejections: NodeOperationError[];
}

async function previewBroadcast(
	context: OperationContext,
	{ rejections, ...plan }: PreviewPlan,
	inputs: BroadcastInput[],
): Promise<Output[]> {
	const found = [...rejections];
	const { channelId } = plan.settings;
	const templates = await listTemplates(context, channelId);
	const prepared = await prepareBroadcast(context, plan, inputs, {
		reject: (error) => found.push(error),
		forPreview: true,
	});
	const state = await stateOf(context, templates, prepared.template, channelId);
	const output = previewOutput(plan, prepared, state, found);
	context.notify(headline(output));
	return [{ json: output as unknown as IDataObject }];
}

/**
 * The state of the template. It is missing only if no list that may contain it does: whether the list of a channel has
 * the organization's templates is undocumented, and so is which channel sends if none is chosen.
 */
async function stateOf(
	context: OperationContext,
	templates: unknown,
	template: PreparedBroadcast['template'],
	channelId: string | undefined,
): Promise<TemplateState> {
	const state = templateState(templates, template, channelId);
	if (!state.isMissing) return state;
	if (channelId === undefined) return { ...state, isMissing: false };
	const shared = templateState(await listTemplates(context, undefined), template, undefined);
	return { ...state, isMissing: shared.isMissing };
}
