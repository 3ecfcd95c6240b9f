import type { INodeProperties } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';
import { additionalFields, optionsCollection } from '../../descriptions/collections';
import { numberCountryField } from '../../descriptions/numberCountry';
import {
	agentField,
	chatField,
	contactBy,
	contactOrderingKey,
	namedContactField,
} from '../../descriptions/records';
import { priorityField, statusField } from '../../descriptions/ticketChoices';
import { planned } from '../../runner/operation';
import { sendForContact } from '../shared/numberVariants';

/** The contact may also be given by its WhatsApp or Instagram ID (API document, `POST /tickets`). */
const contact = namedContactField({ description: 'The contact that the ticket is about' });

const fields: INodeProperties[] = [
	textField('Title', 'title', {
		required: true,
		placeholder: 'e.g. Delivery has not arrived',
		description: 'What the ticket is about, in one line',
	}),
	contact,
	additionalFields([
		agentField('The agent to assign the ticket to'),
		chatField({ description: 'An existing chat to link the ticket to' }),
		textField('Description', 'description', {
			typeOptions: { rows: 4 },
			description: 'Text of the first internal note',
		}),
		priorityField(
			'Priority of the ticket. The service does not document which values it accepts here. An expression can also return another text or an object.',
		),
		statusField(
			'Status of the ticket. The service does not document which values it accepts here. An expression can also return another text or an object.',
		),
	]),
	optionsCollection([numberCountryField]),
];

export const create = planned({
	name: 'Create',
	value: 'create',
	action: 'Create ticket',
	description: 'Create a ticket, with or without a contact',
	endpoint: 'POST /tickets',
	otherEndpoints: ['GET /contacts/{id}'],
	fields,
	orderingKey: contactOrderingKey,
	prepare(parameters) {
		const additional = parameters.collection('additionalFields');
		return {
			contact: contactBy(parameters),
			values: {
				title: parameters.text('title', 'required'),
				priority: additional.optionOrOther('priority'),
				status: additional.optionOrOther('status'),
				assigneeId: additional.id('agentId'),
				description: additional.text('description', 'mayBeEmpty'),
				chatId: additional.id('chatId'),
			},
		};
	},
	run: async (context, { contact: ids, values }) =>
		context.outputOf(
			await sendForContact(context, ids, UNKNOWN_CONTACT, ({ contactId, waId, igId }) => ({
				body: { ...values, contactId, contactWaId: waId, contactIgId: igId },
			})),
		),
});

/** The document lists no 404 for new tickets, so a contact that does not exist may be answered with 400. */
const UNKNOWN_CONTACT = [400, 404];
