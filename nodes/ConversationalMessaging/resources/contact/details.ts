import { textField } from '../../descriptions/basicFields';

/** Fields of a contact that only an update can set (API document, `PATCH /contacts/{id}`). */

export const customNameField = textField('Custom Name', 'customName', {
	description: 'Name to show instead of the contact’s own name',
});

export const igUsernameField = textField('Instagram Username', 'igUsername', {
	placeholder: 'e.g. nathan.smith',
	description: 'Instagram username of the contact',
});
