import { shown } from '../../api/access/shown';
import { planned } from '../../runner/operation';
import { sessionChange } from './fields';

export const takeOver = planned({
	name: 'Take Over',
	value: 'takeOver',
	action: 'Take over session',
	description:
		'Transfer a contact’s session from another agent to the chosen one. Uses session credits.',
	...sessionChange(
		'TAKEOVER',
		shown`No other agent has a session to take over. Check with Get Status, or use Start.`,
	),
});
