import { broadcast } from './broadcast';
import { channel } from './channel';
import { chat } from './chat';
import { contact } from './contact';
import { contactField } from './contactField';
import { contactImport } from './contactImport';
import { flow } from './flow';
import { message } from './message';
import type { Resource } from '../runner/operation';
import { organization } from './organization';
import { segment } from './segment';
import { session } from './session';
import { template } from './template';
import { ticket } from './ticket';
import { user } from './user';

/** All resources of the action node, in the order of its list. */
export const resources: Resource[] = [
	broadcast,
	channel,
	chat,
	contact,
	contactField,
	contactImport,
	flow,
	message,
	organization,
	segment,
	session,
	template,
	ticket,
	user,
];

export const defaultResource: Resource = message;
