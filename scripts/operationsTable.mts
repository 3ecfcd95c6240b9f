import { permissionOf } from '../nodes/ConversationalMessaging/api/permissions.ts';
import { resources } from '../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../nodes/ConversationalMessaging/runner/operation.ts';

function row(resource: string, operation: Operation): string {
	const { name, description, endpoint, otherEndpoints = [] } = operation;
	const endpoints = [endpoint, ...otherEndpoints].map((route) => `\`${route}\``).join(', ');
	return `| ${resource} | ${name} | ${description} | ${endpoints} | \`${permissionOf(endpoint)}\` |`;
}

/** Every operation of the action node as a Markdown table. */
export function operationsTable(): string {
	const rows = resources.flatMap((resource) =>
		// The resource is named in its first row only.
		resource.operations.map((operation, index) =>
			row(index === 0 ? `**${resource.name}**` : '', operation),
		),
	);
	return [
		'| Resource | Operation | What it does | Endpoint | Permission |',
		'| - | - | - | - | - |',
		...rows,
	].join('\n');
}
