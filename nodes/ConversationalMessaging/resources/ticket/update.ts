import type { INodeProperties } from 'n8n-workflow';
import { compact } from '../../fields/parameters';
import { agentField, ticketField } from '../../fields/records';
import { priorityOptions, statusOptions } from '../../fields/ticketChoices';
import type { Operation } from '../operation';

const fields: INodeProperties[] = [
	ticketField(),
	{
		displayName: 'Update Fields',
		name: 'updateFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options: [
			agentField('The agent who takes care of the ticket'),
			{
				displayName: 'Priority',
				name: 'priority',
				type: 'options',
				options: priorityOptions,
				default: 'MEDIUM',
				description: 'How pressing it is',
			},
			{
				displayName: 'Status',
				name: 'status',
				type: 'options',
				options: statusOptions,
				default: 'OPEN',
				description: 'Where it stands',
			},
		],
	},
];

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update ticket',
	description: 'Change status, priority or agent of a ticket',
	endpoint: 'PUT /tickets/{id}',
	fields,
	result: 'record',
	subject: (parameters) => parameters.choice('ticketId')?.value,
	request(parameters) {
		const changes = parameters.group('updateFields');
		if (changes.isEmpty())
			throw changes.invalid(
				'There is nothing to update',
				'Add at least one field under Update Fields.',
			);
		return {
			path: { id: parameters.requiredId('ticketId', 'Ticket') },
			body: compact({
				status: changes.text('status'),
				priority: changes.text('priority'),
				assigneeId: changes.id('agentId'),
			}),
		};
	},
};
