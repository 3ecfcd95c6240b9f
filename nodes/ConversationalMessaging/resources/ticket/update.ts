import type { INodeProperties } from 'n8n-workflow';
import { updateFields } from '../../descriptions/collections';
import { agentField, ticketParameter } from '../../descriptions/records';
import { priorityField, statusField } from '../../descriptions/ticketChoices';
import { updateBody } from '../../descriptions/updateBody';
import type { Operation } from '../../runner/operation';

const fields: INodeProperties[] = [
	updateFields([
		agentField('The agent to assign the ticket to'),
		priorityField('New priority of the ticket'),
		statusField('New status of the ticket'),
	]),
];

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update ticket',
	description: 'Change the status, priority or agent of a ticket',
	endpoint: 'PUT /tickets/{id}',
	of: ticketParameter,
	fields,
	result: 'record',
	request: (parameters) => ({
		body: updateBody(parameters, (values) => ({
			status: values.option('status'),
			priority: values.option('priority'),
			assigneeId: values.id('agentId'),
		})),
	}),
};
