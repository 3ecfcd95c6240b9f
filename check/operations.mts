import type { INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { resources } from '../nodes/ConversationalMessaging/resources/index.ts';
import { fields } from '../nodes/ConversationalMessaging/trigger/fields.ts';
import { sources } from '../nodes/ConversationalMessaging/trigger/status/sources/index.ts';

export const MESSAGE_RECEIVED = 'Trigger: Message Received';
/** What it does not send with, it reads for these only. */
const SEND = 'Message → Send';
export const WAIT_FOR_REPLY = 'Message → Send with Wait for Reply';
const SEND_TEMPLATE = 'Message → Send with a template';

/** What uses an endpoint, as the nodes show it: "Ticket → Get Many", "Trigger: Ticket Status Changed". */
export function operationsOf(endpoints: readonly Endpoint[]): string[] {
	const uses = (used: readonly (Endpoint | undefined)[]) =>
		used.some((endpoint) => endpoint !== undefined && endpoints.includes(endpoint));
	const operations = resources.flatMap((resource) =>
		resource.operations
			.filter(({ endpoint, otherEndpoints = [] }) => uses([endpoint, ...otherEndpoints]))
			.map(({ name, endpoint }) => {
				const operation = `${resource.name} → ${name}`;
				if (operation !== SEND || uses([endpoint])) return operation;
				return uses(['GET /templates']) ? SEND_TEMPLATE : WAIT_FOR_REPLY;
			}),
	);
	const readsMessages = uses(['GET /chats', 'GET /chats/{id}/messages']);
	const events = endpoints.flatMap(eventsOf);
	return [...operations, ...new Set(events), ...(readsMessages ? [MESSAGE_RECEIVED] : [])];
}

/** The trigger's status events that read an endpoint. */
export const eventsOf = (endpoint: Endpoint): string[] =>
	sources
		.filter(({ list, detail }) => [list, detail].includes(endpoint))
		.map(({ event }) => `Trigger: ${eventNames.find(({ value }) => value === event)?.name}`);

const eventNames = fields.find(({ name }) => name === 'events')?.options as INodePropertyOptions[];
