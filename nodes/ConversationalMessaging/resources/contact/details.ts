import type { INodeProperties } from 'n8n-workflow';

/** Fields of a contact that only an update can set (API document, `PATCH /contacts/{id}`). */

export const customNameField: INodeProperties = {
	displayName: 'Custom Name',
	name: 'customName',
	type: 'string',
	default: '',
	description: 'Name to show instead of the contact’s own name',
};

export const igUsernameField: INodeProperties = {
	displayName: 'Instagram Username',
	name: 'igUsername',
	type: 'string',
	default: '',
	placeholder: 'e.g. nathan.smith',
	description: 'Instagram username of the contact',
};
