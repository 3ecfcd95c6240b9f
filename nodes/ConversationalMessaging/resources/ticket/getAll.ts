import type { INodeProperties } from 'n8n-workflow';
import { filterFields } from '../../descriptions/collections';
import { agentField, contactField } from '../../descriptions/records';
import { statusField } from '../../descriptions/ticketChoices';
import type { Operation } from '../../runner/operation';

const fields: INodeProperties[] = filterFields([
	agentField('Only tickets assigned to this agent'),
	contactField({
		description: 'Only tickets linked to this contact. With By ID, enter the contact ID.',
	}),
	statusField('Only tickets with this status'),
]);

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many tickets',
	description: 'Get tickets, optionally by status, agent or contact',
	endpoint: 'GET /tickets',
	fields,
	result: 'list',
	request(parameters) {
		const filters = parameters.filters();
		return {
			query: {
				status: filters.option('status'),
				assigneeId: filters.listedId('agentId'),
				contactId: filters.contactId('contactId'),
			},
		};
	},
};
