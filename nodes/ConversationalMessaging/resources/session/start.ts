import { shown } from '../../api/access/shown';
import { planned } from '../../runner/operation';
import { sessionChange } from './fields';

export const start = planned({
	name: 'Start',
	value: 'start',
	action: 'Start session',
	description: 'Start a session between an agent and a contact. Uses session credits.',
	...sessionChange(
		'START',
		shown`The contact already has an active session. Use Take Over, or end that session first.`,
	),
});
