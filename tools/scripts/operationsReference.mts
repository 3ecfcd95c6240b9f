import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { permissionsTable } from './operationsTable.mts';
import { permissionOf, type Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** Every operation with its fields as a Markdown document. */
export function operationsReference(): string {
	const parts = [
		'# Operations',
		'Written by `npm run docs`, from the code. Fields in bold are required where they are shown.',
	];
	parts.push(
		'## Endpoints and permissions',
		'To pick records from lists, the token also needs `settings.view` for channels, `users.manage` for agents, and the `.view` permission of everything else.',
		permissionsTable(),
	);
	for (const { name, operations } of resources) {
		parts.push(
			`## ${name}`,
			...operations.flatMap((operation) => describeOperation(name, operation)),
		);
	}
	return parts.join('\n\n');
}

function describeOperation(resource: string, operation: Operation): string[] {
	const { name, description, endpoint, otherEndpoints = [] } = operation;
	const withPermission = (route: Endpoint) => `${code(route)} with ${code(permissionOf(route))}`;
	const others =
		otherEndpoints.length > 0
			? `; may also call ${otherEndpoints.map(withPermission).join(', ')}`
			: '';
	const lines = allFields(operation).flatMap((field) => describeField(field, ''));
	return [
		`### ${resource}: ${name}`,
		sentence(description),
		`Calls ${code(endpoint)} with the permission ${code(permissionOf(endpoint))}${others}.`,
		...(lines.length > 0 ? [lines.join('\n')] : []),
	];
}

function describeField(field: INodeProperties, indent: string): string[] {
	// Shown only where a saved workflow has it: another field has replaced it.
	if (field.displayOptions?.show?.[field.name]) return [];
	const name = field.required ? `**${field.displayName}**` : field.displayName;
	const inner = innerOf(field);
	const choices =
		field.type === 'options'
			? ((field.options ?? []) as INodePropertyOptions[]).map((option) => option.name)
			: [];
	const one = choices.length > 0 ? ` One of: ${choices.join(', ')}.` : '';
	const about = field.description ? `: ${sentence(field.description)}` : '';
	return [
		`${indent}- ${name}${about}${one}`,
		...inner.flatMap((option) => describeField(option, `${indent}  `)),
	];
}

/** The fields inside a field. */
function innerOf({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ values }) => values);
}

const code = (text: string): string => `\`${text}\``;

/** A description as Markdown: n8n requires a link as HTML in some. */
function sentence(description: string): string {
	const text = description.replace(/<a href="([^"]*)">(.*?)<\/a>/g, '[$2]($1)');
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
