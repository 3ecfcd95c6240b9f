import { shown } from '../../api/access/shown';
import { customFieldsOf } from '../../api/response/contact';
import { recordOf } from '../../api/response/response';
import { textOf } from '../../api/base/text';
import { contactParameter } from '../../descriptions/records';
import { clearOptions, withCleared } from '../../descriptions/updateBody';
import type { Parameters } from '../../parameters/parameters';
import { findField, writeField } from '../shared/customFields';
import { withContactLock } from '../shared/lock';
import { planned } from '../../runner/operation';
import type { OperationContext } from '../../runner/operationContext';
import type { Output } from '../../runner/output';
import { sendToContact } from '../shared/numberVariants';
import { labelField, valueField } from './fields';

export const set = planned({
	name: 'Set',
	value: 'set',
	action: 'Set contact field',
	description:
		'Set a custom field by its label, or add it if it does not exist. Also needs the permission contacts.view.',
	endpoint: 'PATCH /contacts/{id}/fields/{fieldId}',
	otherEndpoints: ['GET /contacts/{id}', 'POST /contacts/{id}/fields'],
	of: contactParameter,
	fields: [labelField, { ...valueField, required: false }, clearOptions([valueField])],
	prepare: (parameters) => ({
		contactId: contactParameter.id(parameters),
		label: parameters.id('label', 'required'),
		value: newValue(parameters),
	}),
	run: async (context, plan) =>
		await withContactLock(context, plan.contactId, async () => await setField(context, plan)),
});

async function setField(
	context: OperationContext,
	{ contactId, label, value }: { contactId: string; label: string; value: string },
): Promise<Output[]> {
	const { json } = await sendToContact(context, contactId, { endpoint: 'GET /contacts/{id}' });
	const { record, id = contactId } = recordOf(json, 'GET /contacts/{id}');
	const search = findField(customFieldsOf(record), label);
	if ('reason' in search) throw context.invalid(search.reason, search.step);
	const { field } = search;
	const body = { label, value };
	if (!field || field.id !== undefined)
		return context.outputOf(await writeField(context, id, field?.id, body));
	if (String(field.value) === value) return [{ json: body, addedFields: { unchanged: true } }];
	throw context.invalid(
		shown`The contact has a field ${label}, but the service does not return its ID`,
		'Use Contact Field → Update with the ID of the field.',
	);
}

/** The value to write: empty only to clear the field. @throws NodeOperationError if there is none */
function newValue(parameters: Parameters): string {
	const { value } = withCleared(parameters, parameters, {
		value: parameters.verbatim('value', 'mayBeEmpty'),
	});
	return value === undefined ? parameters.verbatim('value', 'required') : textOf(value);
}
