import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { resources } from '../nodes/ConversationalMessaging/resources/index.ts';
import { sources } from '../nodes/ConversationalMessaging/trigger/sources/index.ts';

export const MESSAGE_RECEIVED = 'Trigger: Message Received';

/** What uses an endpoint, as the nodes show it: "Ticket → Get Many", "Trigger: ticket status". */
export function operationsOf(endpoints: readonly Endpoint[]): string[] {
	const uses = (used: readonly (Endpoint | undefined)[]) =>
		used.some((endpoint) => endpoint !== undefined && endpoints.includes(endpoint));
	const operations = resources.flatMap((resource) =>
		resource.operations
			.filter(({ endpoint, otherEndpoints = [] }) => uses([endpoint, ...otherEndpoints]))
			.map(({ name }) => `${resource.name} → ${name}`),
	);
	const events = sources
		.filter(({ list, detail }) => uses([list, detail]))
		.map(({ noun }) => `Trigger: ${noun}`);
	const readsMessages = uses(['GET /chats', 'GET /chats/{id}/messages']);
	return [...operations, ...events, ...(readsMessages ? [MESSAGE_RECEIVED] : [])];
}
