import { permissionOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** The resources of the action node with the names of their operations, as a Markdown table. */
export function resourcesTable(): string {
	const rows = resources.map(({ name, operations }) => {
		const link = `[${name}](docs/OPERATIONS.md#${anchor(name)})`;
		return `| ${link} | ${operations.map((operation) => operation.name).join(', ')} |`;
	});
	return ['| Resource | Operations |', '| - | - |', ...rows].join('\n');
}

/** The endpoint of an operation and its permissions, as a line of Markdown. */
export function endpointLine({ endpoint, otherEndpoints = [] }: Operation): string {
	const permission = permissionOf(endpoint);
	const others = new Set(otherEndpoints.map(permissionOf));
	others.delete(permission);
	const also = others.size > 0 ? `, also ${[...others].map(code).join(', ')}` : '';
	return `${code(endpoint)}, ${code(permission)}${also}`;
}

/** The anchor of a heading that consists of words. */
const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

const code = (text: string): string => `\`${text}\``;
