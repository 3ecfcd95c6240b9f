import { toggleField } from '../../descriptions/basicFields';
import { filterFields } from '../../descriptions/collections';
import type { Operation } from '../../runner/operation';

export const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contact imports',
	description: 'Get recent import jobs, optionally only active ones',
	endpoint: 'GET /contacts/imports',
	fields: filterFields([
		toggleField('Active Only', 'activeOnly', {
			description: 'Whether to return only jobs that are queued or processing',
		}),
	]),
	result: 'list',
	request: (parameters) => ({
		// Left out if it is false: some services take any text for true.
		query: { activeOnly: parameters.filters().boolean('activeOnly') || undefined },
	}),
};
