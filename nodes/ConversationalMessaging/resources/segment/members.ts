import { type INodeProperties, NodeApiError } from 'n8n-workflow';
import { toggleField } from '../../descriptions/basicFields';
import { contactField, segmentParameter } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import type { Batch } from '../../runner/batch';
import type { OperationContext } from '../../runner/operationContext';
import { type Output, withFields } from '../../runner/output';
import { changeMembers, memberRequests } from '../shared/changeMembers';

const combineField = toggleField('Combine Items', 'combine', {
	description:
		'Whether to combine the contacts of all input items for the same segment into as few requests as possible, and into one output item',
});

const fields: INodeProperties[] = [
	contactField({
		required: true,
		description:
			'The contact. With By ID, enter the contact ID, or several: separated by commas or line breaks, or as a list from an expression.',
	}),
	combineField,
];

type MembersPlan = ReturnType<typeof readPlan>;

const readPlan = (parameters: Parameters) => ({
	segmentId: segmentParameter.id(parameters),
	contactIds: parameters.requiredContactIds('contactId'),
	combine: parameters.boolean('combine', 'required'),
});

const batch = (plan: MembersPlan): Batch<string[]> | undefined =>
	plan.combine
		? { key: plan.segmentId, input: plan.contactIds, perItem: ['contactId', 'segmentId'] }
		: undefined;

const SEPARATE =
	'To see which item it concerns, turn off Combine Items: each then has its own request.';

const changeInBatch =
	(action: 'add' | 'remove') =>
	async (
		context: OperationContext,
		{ segmentId, contactIds, combine }: MembersPlan,
		inputs: string[][],
	): Promise<Output[]> => {
		const items = combine ? inputs : [contactIds];
		const all = [...new Set(items.flat())];
		const done = action === 'add' ? 'added' : 'removed';
		let outputs: Output[] = [];
		const changed: string[] = [];
		for (const ids of memberRequests(all)) {
			const response = await changeMembers(context, segmentId, action, ids).catch(
				(error: unknown) => {
					context.throwIfStopped();
					const before =
						changed.length > 0
							? `${changed.length} of ${all.length} contacts were ${done} before that.`
							: '';
					const step = items.length > 1 ? SEPARATE : '';
					if (error instanceof NodeApiError)
						error.description = [error.description, before, step].filter(Boolean).join(' ');
					failItemsWith(ids, items, context, error);
				},
			);
			if (!response) continue;
			changed.push(...ids);
			// The last response shows the segment with all changes.
			outputs = context.outputOf(response);
		}
		return outputs.some(({ addedFields }) => addedFields?.requested)
			? withFields(outputs, { requested: { action, contactIds: changed } })
			: outputs;
	};

/** Fails the items with one of these contacts. @throws the error, unless the node continues on fail */
function failItemsWith(
	contactIds: string[],
	items: string[][],
	context: OperationContext,
	error: unknown,
): void {
	const rejected = new Set(contactIds);
	for (const [position, ids] of items.entries())
		if (ids.some((id) => rejected.has(id))) context.failItem(position, error);
}

/** What the operations that change the members of a segment have in common. */
export const membersChange = (action: 'add' | 'remove') => ({
	endpoint: 'PUT /segments/{id}/members' as const,
	of: segmentParameter,
	fields,
	prepare: readPlan,
	batch,
	run: changeInBatch(action),
});
