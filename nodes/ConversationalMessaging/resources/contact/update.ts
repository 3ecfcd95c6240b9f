import type { INodeProperties } from 'n8n-workflow';
import { updateFields } from '../../descriptions/collections';
import { igIdField, nameField, waIdField } from '../../descriptions/contactFields';
import { contactParameter } from '../../descriptions/records';
import { clearOptions, updateBody } from '../../descriptions/updateBody';
import { planned } from '../../runner/operation';
import { sendToContact } from '../shared/numberVariants';
import { customNameField, igUsernameField } from './details';

const changes: INodeProperties[] = [
	customNameField,
	igIdField,
	igUsernameField,
	nameField,
	waIdField,
];

const fields: INodeProperties[] = [
	updateFields(changes),
	// A contact has a name (API document, `POST /contacts`).
	clearOptions(changes.filter(({ name }) => name !== 'name')),
];

export const update = planned({
	name: 'Update',
	value: 'update',
	action: 'Update contact',
	description: 'Change the names and IDs of a contact',
	endpoint: 'PATCH /contacts/{id}',
	otherEndpoints: ['GET /contacts/{id}'],
	of: contactParameter,
	fields,
	prepare: (parameters) => ({
		id: contactParameter.id(parameters),
		body: updateBody(parameters, (values) => ({
			name: values.text('name'),
			customName: values.text('customName'),
			waId: values.whatsAppAddress('waId'),
			igId: values.id('igId'),
			igUsername: values.text('igUsername'),
		})),
	}),
	run: async (context, { id, body }) =>
		context.outputOf(await sendToContact(context, id, { body })),
});
