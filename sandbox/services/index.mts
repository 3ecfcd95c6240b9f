import { broadcasts } from './broadcasts.mts';
import { chats } from './chats.mts';
import { contactFields, contacts } from './contacts.mts';
import { flows } from './flows.mts';
import { imports } from './imports.mts';
import { messages } from './messages.mts';
import { organization } from './organization.mts';
import { segments } from './segments.mts';
import type { Service } from './service.mts';
import { sessions } from './sessions.mts';
import { templates } from './templates.mts';
import { tickets } from './tickets.mts';

/** Every handler, by the operationId of the contract. */
export const handlers: Service = {
	...messages,
	...chats,
	...sessions,
	...contacts,
	...contactFields,
	...imports,
	...segments,
	...templates,
	...broadcasts,
	...flows,
	...tickets,
	...organization,
};
