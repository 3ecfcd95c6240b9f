import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { recordOf } from '../../api/response/record';
import type { ServiceResponse } from '../../api/response/response';
import { additionalFields } from '../../descriptions/collections';
import { clearOptions, withCleared } from '../../descriptions/updateFields';
import type { Parameters } from '../../parameters/parameters';
import { contactKey, variantsOf } from '../../parameters/address';
import { withoutUndefined } from '../../parameters/values';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import type { Address } from './address';
import { addressFields, addressOrder, readAddress } from './address';
import { sendToFirst } from '../shared/numberVariants';
import { customNameField, igUsernameField } from './details';
import { findByAddress } from './findByAddress';
import { reportingPartialWrites } from './partialWrites';

/** The two IDs, with their labels. */
const IDS = [
	['waId', 'WhatsApp ID'],
	['igId', 'Instagram ID'],
] as const;

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
	builderHint:
		'Use it instead of create, unless an existing contact must be rejected. A contact belongs to one channel: the same customer on WhatsApp and Instagram is two contacts. Two IDs that belong to two contacts are rejected, and so is another ID than the contact has.',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: ['GET /contacts/{id}', 'POST /contacts'],
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
	const additional = parameters.collection('additionalFields').withoutEmpty();
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
	const request = { path: { id }, body: { name, ...extra } };
	const completed = await reportingPartialWrites(
		[`the new contact ${id}`],
		async () => await context.send(request),
	);
	return context.outputOf(completed);
}

/** Updates the contact with one of its IDs; undefined if there is none. */
async function update(
	context: OperationContext,
	plan: UpsertPlan,
): Promise<ServiceResponse | undefined> {
	const { waId, igId } = plan.address;
	if (waId !== undefined && igId !== undefined) return await updateOwner(context, plan, waId);
	const [name, variants] =
		waId === undefined ? ['igId', [igId as string]] : ['waId', variantsOf(waId)];
	// A WhatsApp ID that is stored as another variant stays as it is.
	const bodyFor = (variant: string) => ({ name: plan.name, [name]: variant, ...plan.extra });
	const response = await sendToFirst(context, variants, (variant) => ({ body: bodyFor(variant) }));
	return response.status === 404 ? undefined : response;
}

/**
 * Updates the contact with one of two IDs, and adds the other one if the contact has none.
 *
 * @throws NodeOperationError if they belong to two contacts, or the contact has another ID than one of them: which is meant
 *   is unknown, and messages would go to another number
 */
async function updateOwner(
	context: OperationContext,
	{ address, name, extra }: UpsertPlan,
	waId: string,
): Promise<ServiceResponse | undefined> {
	const owners = await findByAddress(context, address);
	const [owner] = owners;
	if (!owner) return undefined;
	if (owners.length > 1) {
		const ids = owners.map(({ id }) => id ?? 'one without an ID').join(' and ');
		throw context.invalid(
			`WhatsApp ID and Instagram ID belong to two contacts: ${ids}`,
			'Nothing was written. Update each contact with its own ID: a customer on WhatsApp and on Instagram is two contacts.',
		);
	}
	for (const [name, label] of IDS) {
		const [known, given = ''] = [owner.address[name], address[name]];
		if (known === undefined || contactKey(known) === contactKey(given)) continue;
		throw context.invalid(
			`The contact has another ${label}: ${known}, not ${given}`,
			`Nothing was written. If ${given} is right, change it with Contact → Update. If it belongs to another contact, leave one of the two IDs empty.`,
		);
	}
	const stored = owner.address.waId ?? '';
	const path = { id: owner.id ?? (stored || waId) };
	const body = { name, ...address, ...extra };
	if (contactKey(stored) === contactKey(waId)) body.waId = stored;
	return await context.send({ path, body });
}
