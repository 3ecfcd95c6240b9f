import { segmentParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { changeInBatch, memberFields, membersBatch, readPlan } from './members';

export const addContacts = planned({
	name: 'Add Contacts',
	value: 'addContacts',
	action: 'Add contacts to segment',
	description: 'Add contacts to a static segment',
	endpoint: 'PUT /segments/{id}/members',
	fields: memberFields,
	orderingKey: segmentParameter.orderingKey,
	prepare: readPlan,
	batch: membersBatch,
	run: changeInBatch('add'),
});
