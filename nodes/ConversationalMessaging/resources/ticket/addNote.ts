import type { INodeProperties } from 'n8n-workflow';
import { textField } from '../../descriptions/basicFields';
import { agentField, ticketParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

const fields: INodeProperties[] = [
	textField('Note', 'body', {
		typeOptions: { rows: 4 },
		required: true,
		description: 'Text of the note. Agents see it; the customer never does.',
	}),
	agentField('The author of the note', 'Author'),
];

export const addNote: Operation = {
	name: 'Add Note',
	value: 'addNote',
	action: 'Add note to ticket',
	description: 'Add an internal note to a ticket. The customer never sees it.',
	endpoint: 'POST /tickets/{id}/notes',
	of: ticketParameter,
	fields,
	result: 'record',
	request: (parameters) => ({
		body: { body: parameters.verbatim('body', 'required'), authorId: parameters.id('agentId') },
	}),
};
