import type { INodeProperties } from 'n8n-workflow';

/** The name and the IDs of a contact, as the operations that write them have them. */

export const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Nathan Smith',
	description: 'Display name of the contact',
};

export const waIdField: INodeProperties = {
	displayName: 'WhatsApp ID',
	name: 'waId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 12025550143',
	description: 'Phone number with country code, or business-scoped user ID',
};

export const igIdField: INodeProperties = {
	displayName: 'Instagram ID',
	name: 'igId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 17841400000000001',
	description: 'Instagram user ID',
};
