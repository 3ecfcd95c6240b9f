import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { permissionsTable } from './operationsTable.mts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** A field in so many operations whose line has so many characters is described once, for all of them. */
const SHARED_BY = 3;
const SHARED_FROM = 80;

const SHARED = 'Fields of several operations';

/** Every operation with its fields as a Markdown document. */
export function operationsReference(): string {
	const shared = sharedFields();
	return [
		'# Operations',
		'Written by `npm run docs`, from the code. Fields in bold are required where they are shown.',
		'## Endpoints and permissions',
		'To pick records from lists, the token also needs `settings.view` for channels, `users.manage` for agents, and the `.view` permission of everything else.',
		permissionsTable(),
		`## ${SHARED}`,
		'Below, these have an asterisk instead of a description.',
		[...shared].toSorted().join('\n'),
		...resources.flatMap(({ name, operations }) => [
			`## ${name}`,
			...operations.flatMap((operation) => describeOperation(name, operation, shared)),
		]),
	].join('\n\n');
}

function describeOperation(
	resource: string,
	operation: Operation,
	shared: ReadonlySet<string>,
): string[] {
	const { name, description, endpoint } = operation;
	const fields = allFields(operation).filter(({ type }) => type !== 'notice');
	const lines = fields.flatMap((field) => describeField(field, '', shared));
	return [
		`### ${resource}: ${name}`,
		`${sentence(description)} Calls ${code(endpoint)}.`,
		...(lines.length > 0 ? [lines.join('\n')] : []),
	];
}

function describeField(
	field: INodeProperties,
	indent: string,
	shared: ReadonlySet<string>,
): string[] {
	// Shown only where a saved workflow has it: another field has replaced it.
	if (field.displayOptions?.show?.[field.name]) return [];
	const line = describe(field);
	const name = field.required ? `**${field.displayName}**` : field.displayName;
	if (shared.has(line)) return [`${indent}- ${name}\\*`];
	return [
		`${indent}${line.replace(field.displayName, name)}`,
		...innerOf(field).flatMap((option) => describeField(option, `${indent}  `, shared)),
	];
}

/** The lines of fields with the same description in several operations. */
function sharedFields(): Set<string> {
	const counts = new Map<string, number>();
	for (const { operations } of resources)
		for (const operation of operations) {
			const fields = allFields(operation).flatMap((field) => [field, ...innerOf(field)]);
			const lines = fields.filter((field) => innerOf(field).length === 0).map(describe);
			for (const line of new Set(lines)) counts.set(line, (counts.get(line) ?? 0) + 1);
		}
	const isShared = ([line, count]: [string, number]) =>
		count >= SHARED_BY && line.length >= SHARED_FROM;
	return new Set([...counts].filter(isShared).map(([line]) => line));
}

/** A field, what it is for, and its choices, as a line of a list. */
function describe(field: INodeProperties): string {
	const choices =
		field.type === 'options'
			? ((field.options ?? []) as INodePropertyOptions[]).map((option) => option.name)
			: [];
	const one = choices.length > 0 ? ` One of: ${choices.join(', ')}.` : '';
	const about = field.description ? `: ${sentence(field.description)}` : '';
	return `- ${field.displayName}${about}${one}`;
}

/** The fields inside a field. */
function innerOf({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ values }) => values);
}

const code = (text: string): string => `\`${text}\``;

/** A description as a sentence, without the one that n8n's rules add to fields with a list. */
function sentence(description: string): string {
	const text = description.replace(
		/ ?Choose from the list, or specify an ID using an <a .*<\/a>\.$/,
		'',
	);
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
