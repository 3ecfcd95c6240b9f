import { NodeOperationError } from 'n8n-workflow';
import { unexpected } from '../../api/errors';
import type { Parameters } from '../../parameters/parameters';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { audienceKind } from './audience/kinds';
import { completeBroadcast } from './complete';
import { broadcastFields } from './fields';
import { type BroadcastPlan, ONE_BROADCAST, readPlan } from './plan';
import { notReady, previewOutput } from './previewOutput';

/** Create without sending: it stops where Create would, and says so. */
export const preview = planned({
	name: 'Preview',
	value: 'preview',
	action: 'Preview broadcast',
	description:
		'Show what Create would send with the same settings, and to whom. Sends nothing, and does not wait.',
	endpoint: 'GET /templates',
	otherEndpoints: ['GET /broadcasts/csv-template', 'GET /segments/{id}'],
	fields: broadcastFields,
	returnsNoRecords: true,
	prepare: readPreviewItem,
	batch: (item) => (item.isOfAll ? { ...ONE_BROADCAST, input: item } : undefined),
	run: previewBroadcast,
});

type PreviewItem =
	| { isOfAll: boolean; plan: BroadcastPlan }
	| { isOfAll: boolean; plan?: undefined; error: NodeOperationError };

/** @throws NodeOperationError for an item that Create leaves out, because the others are sent without it */
function readPreviewItem(parameters: Parameters): PreviewItem {
	const isOfAll = audienceKind(parameters).isOfAllItems === true;
	if (isOfAll && parameters.n8n.continueOnFail()) return { isOfAll, plan: readPlan(parameters) };
	try {
		return { isOfAll, plan: readPlan(parameters) };
	} catch (error) {
		const { n8n, itemIndex } = parameters;
		if (!(error instanceof NodeOperationError)) throw unexpected(n8n.getNode(), error);
		if (isOfAll && n8n.getInputData().length > 1) error.context.itemIndex = itemIndex;
		return { isOfAll, error };
	}
}

async function previewBroadcast(
	context: OperationContext,
	item: PreviewItem,
	inputs: PreviewItem[],
): Promise<Output[]> {
	const items = item.isOfAll ? inputs : [item];
	const plans = items.flatMap(({ plan }) => plan ?? []);
	const errors = items.flatMap((each) => (each.plan ? [] : each.error));
	const [plan, ...others] = plans as [BroadcastPlan, ...BroadcastPlan[]];
	const [error] = errors;
	if (error) return [notReady(error, errors.length)];
	const chosen = others.map(({ audience }) => audience);
	const output = completeBroadcast(context, plan, [plan.audience, ...chosen], true)
		.then(async (broadcast) => await previewOutput(plan, broadcast))
		.catch((thrown: unknown) => {
			context.throwIfStopped();
			if (thrown instanceof NodeOperationError) return notReady(thrown);
			throw thrown;
		});
	return [await output];
}
