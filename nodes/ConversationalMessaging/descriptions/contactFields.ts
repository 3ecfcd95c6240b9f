import { textField } from './basicFields';

/** The name and the IDs of a contact, as the operations that write them have them. */

export const nameField = textField('Name', 'name', {
	placeholder: 'e.g. Nathan Smith',
	description: 'Display name of the contact',
});

export const waIdField = textField('WhatsApp ID', 'waId', {
	placeholder: 'e.g. 12025550143',
	description: 'Phone number with country code, or business-scoped user ID',
});

export const igIdField = textField('Instagram ID', 'igId', {
	placeholder: 'e.g. 17841400000000001',
	description: 'Instagram user ID',
});
