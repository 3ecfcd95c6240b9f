import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../../parameters/parameters';
import { contactField, segmentField } from '../../descriptions/records';
import type { Operation, Output, OperationContext } from '../operation';

/** The number of contacts per request. The service documents no maximum; this one keeps requests small. */
const CONTACTS_PER_REQUEST = 500;

const combineField: INodeProperties = {
	displayName: 'Combine Items',
	name: 'combine',
	type: 'boolean',
	default: true,
	description:
		'Whether to combine the contacts of all input items for the same segment into as few requests as possible',
};

type Action = 'add' | 'remove';

function prepare(parameters: Parameters, action: Action) {
	const segmentId = parameters.requiredId('segmentId');
	const contactIds = parameters.requiredIds('contactId');
	const runBatch = async (context: OperationContext, inputs: unknown[]) =>
		await change(context, segmentId, action, inputs.flat() as string[]);
	if (!parameters.requiredBoolean('combine'))
		return async (context: OperationContext) => await runBatch(context, [contactIds]);
	return { key: segmentId, input: contactIds, runBatch };
}

async function change(
	{ send, output }: OperationContext,
	id: string,
	action: Action,
	contactIds: string[],
): Promise<Output[]> {
	const all = [...new Set(contactIds)];
	let outputs: Output[] = [];
	for (let start = 0; start < all.length; start += CONTACTS_PER_REQUEST) {
		const body = { action, contactIds: all.slice(start, start + CONTACTS_PER_REQUEST) };
		// The last response shows the segment with all changes.
		outputs = output(await send('PUT /segments/{id}/members', { path: { id }, body }));
	}
	return outputs;
}

const fields = [
	segmentField({ required: true }),
	contactField({
		required: true,
		description:
			'The contact. With By ID, enter the contact ID, or an expression that returns a list of contact IDs.',
	}),
	combineField,
];

const orderingKey = (parameters: Parameters) => parameters.id('segmentId');

const errorHint = (status: number) =>
	status === 400
		? 'Enter the contact IDs of contacts in this organization, and choose a static segment.'
		: undefined;

export const addContacts: Operation = {
	name: 'Add Contacts',
	value: 'addContacts',
	action: 'Add contacts to segment',
	description: 'Add contacts to a static segment',
	endpoint: 'PUT /segments/{id}/members',
	fields,
	result: 'steps',
	orderingKey,
	prepare: (parameters) => prepare(parameters, 'add'),
	errorHint,
};

export const removeContacts: Operation = {
	name: 'Remove Contacts',
	value: 'removeContacts',
	action: 'Remove contacts from segment',
	description: 'Remove contacts from a static segment. The contacts are kept.',
	endpoint: 'PUT /segments/{id}/members',
	fields,
	result: 'steps',
	orderingKey,
	prepare: (parameters) => prepare(parameters, 'remove'),
	errorHint,
};
