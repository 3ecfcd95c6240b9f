import { segmentParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { changeInBatch, memberFields, membersBatch, readPlan } from './members';

export const removeContacts = planned({
	name: 'Remove Contacts',
	value: 'removeContacts',
	action: 'Remove contacts from segment',
	description: 'Remove contacts from a static segment. The contacts are kept.',
	endpoint: 'PUT /segments/{id}/members',
	fields: memberFields,
	orderingKey: segmentParameter.orderingKey,
	prepare: readPlan,
	batch: membersBatch,
	run: changeInBatch('remove'),
});
