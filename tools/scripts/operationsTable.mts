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

/** Every operation with its endpoint and its permissions, as a Markdown table. */
export function permissionsTable(): string {
	const rows = resources.flatMap((resource) =>
		resource.operations.map((operation) => permissionsRow(resource.name, operation)),
	);
	return [
		'| Operation | Endpoint | Permission | May also need |',
		'| - | - | - | - |',
		...rows,
	].join('\n');
}

function permissionsRow(resource: string, operation: Operation): string {
	const { name, endpoint, otherEndpoints = [] } = operation;
	const permission = permissionOf(endpoint);
	const others = new Set(otherEndpoints.map(permissionOf));
	others.delete(permission);
	const title = `${resource}: ${name}`;
	const also = [...others].map(code).join(', ');
	return `| [${title}](#${anchor(title)}) | ${code(endpoint)} | ${code(permission)} | ${also} |`;
}

/** The anchor of a heading that consists of words, hyphens and a colon. */
const anchor = (heading: string): string =>
	heading.toLowerCase().replace(':', '').replaceAll(' ', '-');

const code = (text: string): string => `\`${text}\``;
