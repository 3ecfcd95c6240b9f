import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';

/** Every operation: its name in tests, its resource, and itself. */
export const operations = resources.flatMap((resource) =>
	resource.operations.map(
		(operation) => [`${resource.value}: ${operation.value}`, resource.value, operation] as const,
	),
);
