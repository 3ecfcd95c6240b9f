import { textField } from '../../descriptions/basicFields';
import { locator } from '../../descriptions/locator';
import { pathParameter } from '../../descriptions/pathParameter';
import { contactField, fieldLabelField } from '../../descriptions/records';

/** The contact of the field, by its own ID: these routes accept no other (API document, Contact fields). */
export const contactFieldParameter = pathParameter(
	contactField({
		required: true,
		description: 'The contact with the field. With By ID, enter the contact ID.',
	}),
	{ read: (parameters) => parameters.contactId('contactId', 'required') },
);

/** The label of a field: one that contacts already have, or a new one. */
export const labelField = fieldLabelField({
	displayName: 'Label',
	name: 'label',
	required: true,
	description: 'Label of the field',
});

export const valueField = textField('Value', 'value', {
	required: true,
	placeholder: 'e.g. Berlin',
	description: 'Value of the field. Flows can read it.',
});

export const fieldIdField = locator({
	displayName: 'Contact Field',
	name: 'fieldId',
	search: 'searchContactFields',
	example: 'cm4k2w8qx0001v8l4a1b2c3d4',
	required: true,
	description:
		'The custom field of the contact. With By ID, enter the ID of the field, as returned with the contact.',
	typeOptions: { loadOptionsDependsOn: ['contactId.value'] },
});
