import type { INodeProperties } from 'n8n-workflow';
import { contactField, segmentParameter } from '../../descriptions/records';
import type { Parameters } from '../../parameters/parameters';
import type { Batch } from '../../runner/batch';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { memberRequests } from '../shared/segmentMembers';

const combineField: INodeProperties = {
	displayName: 'Combine Items',
	name: 'combine',
	type: 'boolean',
	default: true,
	description:
		'Whether to combine the contacts of all input items for the same segment into as few requests as possible',
};

export const memberFields: INodeProperties[] = [
	segmentParameter.field,
	contactField({
		required: true,
		description:
			'The contact. With By ID, enter the contact ID, or an expression that returns a list of contact IDs.',
	}),
	combineField,
];

/** Contacts that one or several items add to a segment, or remove from it. */
interface MembersPlan {
	segmentId: string;
	contactIds: string[];
	combine: boolean;
}

export const readMembers = (parameters: Parameters): MembersPlan => ({
	segmentId: segmentParameter.id(parameters),
	contactIds: parameters.requiredIds('contactId'),
	combine: parameters.requiredBoolean('combine'),
});

export const membersBatch = (plan: MembersPlan): Batch<string[]> | undefined =>
	plan.combine
		? { key: plan.segmentId, input: plan.contactIds, perItem: ['contactId', 'segmentId'] }
		: undefined;

/** @param inputs the contacts of the items of a batch, or [] */
export const changeMembers =
	(action: 'add' | 'remove') =>
	async (
		context: OperationContext,
		{ segmentId, contactIds, combine }: MembersPlan,
		inputs: string[][],
	): Promise<Output[]> => {
		const all = [...new Set(combine ? inputs.flat() : contactIds)];
		let outputs: Output[] = [];
		for (const ids of memberRequests(all)) {
			const body = { action, contactIds: ids };
			// The last response shows the segment with all changes.
			outputs = context.outputOf(await context.send({ path: { id: segmentId }, body }));
		}
		return outputs;
	};
