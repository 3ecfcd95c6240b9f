import { shown } from '../../api/access/shown';
import { planned } from '../../runner/operation';
import { sessionChange } from './fields';

export const end = planned({
	name: 'End',
	value: 'end',
	action: 'End session',
	description: 'End the active session of a contact. Uses session credits.',
	...sessionChange('END', shown`The contact has no active session. Check with Get Status.`),
});
