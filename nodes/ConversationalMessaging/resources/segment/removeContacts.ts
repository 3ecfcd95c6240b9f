import { planned } from '../../runner/operation';
import { membersChange } from './members';

export const removeContacts = planned({
	name: 'Remove Contacts',
	value: 'removeContacts',
	action: 'Remove contacts from segment',
	description: 'Remove contacts from a static segment. The contacts are kept.',
	...membersChange('remove'),
});
