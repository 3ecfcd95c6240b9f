import { ticketParameter } from '../../descriptions/records';
import type { Operation } from '../../runner/operation';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get ticket',
	description: 'Get a ticket with its notes, by ticket number or ID',
	endpoint: 'GET /tickets/{id}',
	of: ticketParameter,
	fields: [],
	result: 'record',
};
