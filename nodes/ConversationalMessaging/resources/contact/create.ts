import { optionsCollection } from '../../descriptions/collections';
import { numberCountryField } from '../../descriptions/numberCountry';
import type { Operation } from '../../runner/operation';
import {
	addressErrorHint,
	addressFields,
	addressOrder,
	requiredNameField,
	readAddress,
} from './address';

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create contact',
	description: 'Create a contact with a WhatsApp ID or an Instagram ID',
	endpoint: 'POST /contacts',
	fields: [requiredNameField, ...addressFields, optionsCollection([numberCountryField])],
	result: 'record',
	orderingKey: addressOrder,
	request(parameters) {
		const { waId, igId } = readAddress(parameters);
		return { body: { name: parameters.text('name', 'required'), waId, igId } };
	},
	errorHint: addressErrorHint,
};
