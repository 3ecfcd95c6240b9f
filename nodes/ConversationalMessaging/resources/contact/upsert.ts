import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { recordOf } from '../../api/record';
import type { ServiceResponse } from '../../api/response';
import { additionalFields } from '../../descriptions/collections';
import { clearOptions, withCleared } from '../../descriptions/updateFields';
import type { Parameters } from '../../parameters/parameters';
import { addressForms } from '../../parameters/phone';
import { withoutUndefined } from '../../parameters/values';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import type { Address } from './address';
import { addressFields, addressOrder, readAddress } from './address';
import { customNameField, igUsernameField } from './details';

/** What the service accepts for an existing contact only (API document, `POST /contacts`). */
const details: INodeProperties[] = [customNameField, igUsernameField];

const fields: INodeProperties[] = [
	...addressFields,
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Nathan Smith',
		description: 'Display name of the contact',
	},
	additionalFields(details),
	clearOptions(details),
];

export const upsert = planned({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: ['POST /contacts'],
	fields,
	orderingKey: addressOrder,
	prepare: readPlan,
	run: updateOrCreate,
});

interface UpsertPlan {
	/** The IDs of the contact, by the service's names. */
	address: Address;
	name: string;
	/** What only an update can set. */
	extra: IDataObject;
}

function readPlan(parameters: Parameters): UpsertPlan {
	const address = readAddress(parameters);
	const name = parameters.required('name');
	const additional = parameters.collection('additionalFields');
	const extra = withCleared(parameters, additional, {
		customName: additional.text('customName'),
		igUsername: additional.text('igUsername'),
	});
	return { address, name, extra };
}

/**
 * Updates first: however often that runs, it creates no second contact. Only a contact that does not exist is created.
 */
async function updateOrCreate(context: OperationContext, plan: UpsertPlan): Promise<Output[]> {
	const updated = await update(context, plan);
	if (updated) return context.outputOf(updated);
	const { name, extra } = plan;
	const address = withoutUndefined({ ...plan.address });
	const body = { name, ...address };
	const created = await context.send({ endpoint: 'POST /contacts', body, acceptStatuses: [409] });
	if (created.status === 409) {
		// The contact was created elsewhere in the meantime.
		const late = await update(context, plan);
		if (!late) throw context.responseError(created);
		return context.outputOf(late);
	}
	// A new contact has nothing to clear, and the other fields need a second request.
	if (Object.values(extra).every((value) => value === '')) return context.outputOf(created);
	const id = recordOf(created.json, ['contact']).id ?? (Object.values(address)[0] as string);
	return context.outputOf(await context.send({ path: { id }, body: { name, ...extra } }));
}

/**
 * Updates the contact with one of its IDs; undefined if there is none. A WhatsApp ID that is stored with a plus keeps it.
 */
async function update(
	context: OperationContext,
	{ address, name, extra }: UpsertPlan,
): Promise<ServiceResponse | undefined> {
	const { waId, igId } = address;
	const ids = [
		...(waId === undefined ? [] : addressForms(waId)).map((form) => ({ id: form, waId: form })),
		...(igId === undefined ? [] : [{ id: igId, waId }]),
	];
	for (const { id, waId: stored } of ids) {
		const body = withoutUndefined({ name, waId: stored, igId, ...extra });
		const updated = await context.send({ path: { id }, body, acceptStatuses: [404] });
		if (updated.status !== 404) return updated;
	}
	return undefined;
}
