import { segmentParameter } from '../../descriptions/records';
import { planned } from '../../runner/operation';
import { membersErrorHint } from '../shared/segmentMembers';
import { changeMembers, memberFields, membersBatch, readMembers } from './members';

export const addContacts = planned({
	name: 'Add Contacts',
	value: 'addContacts',
	action: 'Add contacts to segment',
	description: 'Add contacts to a static segment',
	endpoint: 'PUT /segments/{id}/members',
	fields: memberFields,
	orderingKey: segmentParameter.orderingKey,
	prepare: readMembers,
	batch: membersBatch,
	run: changeMembers('add'),
	errorHint: membersErrorHint,
});
