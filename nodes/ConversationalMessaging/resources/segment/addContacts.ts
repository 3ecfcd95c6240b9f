import { planned } from '../../runner/operation';
import { membersChange } from './members';

export const addContacts = planned({
	name: 'Add Contacts',
	value: 'addContacts',
	action: 'Add contacts to segment',
	description: 'Add contacts to a static segment',
	...membersChange('add'),
});
