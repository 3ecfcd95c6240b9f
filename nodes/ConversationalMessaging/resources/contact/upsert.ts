import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { shown } from '../../api/access/shown';
import { NO_FIELDS } from '../../api/response/contact';
import { recordOf, type ServiceResponse } from '../../api/response/response';
import { additionalFields } from '../../descriptions/collections';
import { numberCountryField } from '../../descriptions/numberCountry';
import { segmentField } from '../../descriptions/records';
import { clearOptions, withCleared } from '../../descriptions/updateBody';
import type { Parameters } from '../../parameters/parameters';
import { customerId } from '../../phone/customerId';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { withContactLock } from '../shared/lock';
import { sendToFirst } from '../shared/numberVariants';
import { changeMembers } from '../shared/changeMembers';
import { addressFields, addressOrder, requiredNameField, readAddress } from './address';
import { customFieldsField, customFieldValuesField, readCustomFields } from './customFields';
import { customNameField, igUsernameField } from './details';
import { type Difference, valueDifferences } from './differences';
import { type KnownContact, contactIn, findByAddress } from './knownContact';
import { reportingPartialWrites, writeFields } from './partialWrites';
import type { WantedValue } from './wantedValues';

/** What the service accepts for an existing contact only (API document, `POST /contacts`). */
const details: INodeProperties[] = [customNameField, igUsernameField];

const fields: INodeProperties[] = [
	...addressFields,
	requiredNameField,
	{
		...segmentField({ description: 'The static segment to add the contact to' }),
		displayName: 'Add to Segment',
	},
	customFieldsField,
	additionalFields(details),
	clearOptions(details, [numberCountryField, customFieldValuesField]),
];

export const upsert = planned({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	builderHint:
		'Use it instead of create, unless an existing contact must be rejected. It also sets custom fields by their labels, and adds the contact to a segment: no other node is needed for a new lead. A contact belongs to one channel: the same customer on WhatsApp and Instagram is two contacts, so set waId or igId, not both. For a list of contacts, use sync.',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: [
		'GET /contacts/{id}',
		'POST /contacts',
		'POST /contacts/{id}/fields',
		'PATCH /contacts/{id}/fields/{fieldId}',
		'PUT /segments/{id}/members',
	],
	fields,
	orderingKey: addressOrder,
	prepare: readPlan,
	run: async (context, plan) =>
		await withContactLock(
			context,
			plan.variants[0],
			async () => await upsertContact(context, plan),
		),
});

interface UpsertPlan {
	/** What the service calls the contact's ID. */
	idName: 'igId' | 'waId';
	/** The variants in which the service may store it, the likely one first. */
	variants: [string, ...string[]];
	name: string;
	extra: IDataObject;
	values: WantedValue[];
	segmentId?: string;
}

function readPlan(parameters: Parameters): UpsertPlan {
	const { waId, igId } = readAddress(parameters);
	if (waId !== undefined && igId !== undefined) {
		throw parameters.invalid(
			'WhatsApp ID and Instagram ID both have a value',
			'Clear one of them: a customer on WhatsApp and on Instagram is two contacts. To add an ID to a contact, use Contact → Update.',
		);
	}
	const additional = parameters.collection('additionalFields', 'mayBeEmpty');
	return {
		idName: waId === undefined ? 'igId' : 'waId',
		variants: (waId === undefined ? [igId] : customerId(waId).variants) as [string, ...string[]],
		name: parameters.text('name', 'required'),
		extra: withCleared(parameters, additional, {
			customName: additional.text('customName'),
			igUsername: additional.text('igUsername'),
		}),
		values: readCustomFields(parameters, 'mayBeEmpty'),
		segmentId: parameters.id('segmentId', 'limit'),
	};
}

/**
 * Writes the contact, then its custom fields, then the segment: what is interrupted is completed by the next run. If a custom field
 * of the contact cannot be found for certain, nothing is written.
 */
async function upsertContact(context: OperationContext, plan: UpsertPlan): Promise<Output[]> {
	const { values, segmentId, variants } = plan;
	const before = values.length > 0 ? await find(context, plan) : undefined;
	if (before) changesOf(context, before, values);
	const isMissing = values.length > 0 && !before;
	const { response, isNew } = await updateOrCreate(context, plan, isMissing);
	if (values.length === 0 && segmentId === undefined) return context.outputOf(response);

	const shownAs = contactIn(response.json);
	const contactId = shownAs.id ?? before?.id;
	const written = [`${isNew ? 'the new contact' : 'the contact'} ${contactId ?? variants[0]}`];
	return await reportingPartialWrites(written, async () => {
		const fields = isNew ? (shownAs.fields ?? NO_FIELDS) : before?.fields;
		const isKnown = contactId !== undefined && (isNew || before || values.length === 0);
		const contact = isKnown ? { id: contactId, fields } : await find(context, plan);
		if (contact?.id === undefined) {
			throw context.invalid(
				'The service did not return the ID of the contact, so its custom fields and segment are not set',
				'The contact itself is written. Run the node again to set them.',
			);
		}
		const { id } = contact;
		await writeFields(context, id, changesOf(context, contact, values, id), written);
		if (segmentId !== undefined) {
			await changeMembers(context, segmentId, 'add', [id]);
			written.push('the segment');
		}
		const request = { endpoint: LOOK_UP, action: 'Get contact', path: { id } } as const;
		// The contact as it was written, for a token that only writes contacts, and if the service does not find a new one yet.
		const after = await context.send({ ...request, acceptStatuses: [403, 404] });
		return context.outputOf(after.status < 300 ? after : response);
	});
}

const LOOK_UP = 'GET /contacts/{id}';

const find = async (
	context: OperationContext,
	{ idName, variants }: UpsertPlan,
): Promise<KnownContact | undefined> =>
	(await findByAddress(context, { [idName]: variants[0] }))[0];

/** The custom fields that differ. @param writtenId the ID of the contact, once it is written */
function changesOf(
	context: OperationContext,
	{ fields: known }: Pick<KnownContact, 'fields'>,
	values: WantedValue[],
	writtenId?: string,
): Difference[] {
	const compared = valueDifferences(values, { record: {}, fields: known });
	if ('differences' in compared) return compared.differences;
	const { reason, step } = compared;
	if (writtenId === undefined) throw context.invalid(reason, shown`Nothing was written. ${step}`);
	throw context.invalid(
		shown`The contact ${writtenId} is written, but not its custom fields. ${reason}`,
		step,
	);
}

/**
 * Updates first: however often that runs, it creates no second contact. Only a contact that does not exist is created.
 *
 * @param isMissing whether it has been looked up, and not found
 */
async function updateOrCreate(
	context: OperationContext,
	plan: UpsertPlan,
	isMissing: boolean,
): Promise<{ response: ServiceResponse; isNew: boolean }> {
	const updated = isMissing ? undefined : await updateExisting(context, plan);
	if (updated) return { response: updated, isNew: false };
	const { idName, variants, name, extra } = plan;
	const body = { name, [idName]: variants[0] };
	const created = await context.send({ endpoint: 'POST /contacts', body, acceptStatuses: [409] });
	if (created.status === 409) {
		// The contact was created elsewhere in the meantime.
		const late = await updateExisting(context, plan);
		if (!late) throw context.responseError(created);
		return { response: late, isNew: false };
	}
	// A new contact has nothing to clear, and the other fields need a second request.
	if (Object.values(extra).every((value) => value === ''))
		return { response: created, isNew: true };
	const id = recordOf(created.json, LOOK_UP).id ?? variants[0];
	const request = { path: { id }, body: { name, ...extra } };
	const completed = await reportingPartialWrites(
		[`the new contact ${id}`],
		async () => await context.send(request),
	);
	return { response: completed, isNew: true };
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
