import { ticketParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get ticket',
	description: 'Get a ticket with its notes, by ticket number or ID',
	endpoint: 'GET /tickets/{id}',
	fields: [ticketParameter.field],
	result: 'record',
	request: (parameters) => ({ path: ticketParameter.path(parameters) }),
};
