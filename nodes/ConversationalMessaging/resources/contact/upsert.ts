import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { recordOf } from '../../api/response/response';
import type { ServiceResponse } from '../../api/response/response';
import { additionalFields } from '../../descriptions/collections';
import { numberCountryField } from '../../descriptions/numberCountry';
import { clearOptions, withCleared } from '../../descriptions/updateBody';
import type { Parameters } from '../../parameters/parameters';
import { variantsOf } from '../../parameters/address';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { addressFields, addressOrder, nameField, readAddress } from './address';
import { sendToFirst } from '../shared/numberVariants';
import { customNameField, igUsernameField } from './details';
import { reportingPartialWrites } from './partialWrites';

/** What the service accepts for an existing contact only (API document, `POST /contacts`). */
const details: INodeProperties[] = [customNameField, igUsernameField];

const fields: INodeProperties[] = [
	...addressFields,
	nameField,
	additionalFields(details),
	clearOptions(details, [numberCountryField]),
];

export const upsert = planned({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	builderHint:
		'Use it instead of create, unless an existing contact must be rejected. A contact belongs to one channel: the same customer on WhatsApp and Instagram is two contacts, so set waId or igId, not both.',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: ['GET /contacts/{id}', 'POST /contacts'],
	fields,
	orderingKey: addressOrder,
	prepare: readPlan,
	run: updateOrCreate,
});

interface UpsertPlan {
	/** What the service calls the contact's ID. */
	idName: 'igId' | 'waId';
	/** The variants in which the service may store it, the likely one first. */
	variants: [string, ...string[]];
	name: string;
	/** What only an update can set. */
	extra: IDataObject;
}

function readPlan(parameters: Parameters): UpsertPlan {
	const { waId, igId } = readAddress(parameters);
	if (waId !== undefined && igId !== undefined) {
		throw parameters.invalid(
			'WhatsApp ID and Instagram ID both have a value',
			'Clear one of them: a customer on WhatsApp and on Instagram is two contacts. To add an ID to a contact, use Contact → Update.',
		);
	}
	const additional = parameters.collection('additionalFields').withoutEmpty();
	return {
		idName: waId === undefined ? 'igId' : 'waId',
		variants: (waId === undefined ? [igId] : variantsOf(waId)) as [string, ...string[]],
		name: parameters.required('name'),
		extra: withCleared(parameters, additional, {
			customName: additional.text('customName'),
			igUsername: additional.text('igUsername'),
		}),
	};
}

/**
 * Updates first: however often that runs, it creates no second contact. Only a contact that does not exist is created.
 */
async function updateOrCreate(context: OperationContext, plan: UpsertPlan): Promise<Output[]> {
	const updated = await updateExisting(context, plan);
	if (updated) return context.outputOf(updated);
	const { idName, variants, name, extra } = plan;
	const body = { name, [idName]: variants[0] };
	const created = await context.send({ endpoint: 'POST /contacts', body, acceptStatuses: [409] });
	if (created.status === 409) {
		// The contact was created elsewhere in the meantime.
		const late = await updateExisting(context, plan);
		if (!late) throw context.responseError(created);
		return context.outputOf(late);
	}
	// A new contact has nothing to clear, and the other fields need a second request.
	if (Object.values(extra).every((value) => value === '')) return context.outputOf(created);
	const id = recordOf(created.json, 'GET /contacts/{id}').id ?? variants[0];
	const request = { path: { id }, body: { name, ...extra } };
	const completed = await reportingPartialWrites(
		[`the new contact ${id}`],
		async () => await context.send(request),
	);
	return context.outputOf(completed);
}

/** Updates the contact; undefined if there is none. A WhatsApp ID that is stored as another variant stays as it is. */
async function updateExisting(
	context: OperationContext,
	{ idName, variants, name, extra }: UpsertPlan,
): Promise<ServiceResponse | undefined> {
	const response = await sendToFirst(context, variants, (variant) => ({
		body: { name, [idName]: variant, ...extra },
	}));
	return response.status === 404 ? undefined : response;
}
