import { channel } from './channel';
import { contact } from './contact';
import { message } from './message';
import type { Resource } from './operation';
import { organization } from './organization';
import { ticket } from './ticket';
import { user } from './user';

/** Everything that the action node can do, in the order of its list. */
export const resources: Resource[] = [channel, contact, message, organization, ticket, user];
