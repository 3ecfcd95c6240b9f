import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { permissionsTable } from './operationsTable.mts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** A field in so many operations whose line has so many characters is described once, for all of them. */
const SHARED_BY = 2;
const SHARED_FROM = 40;

const SHARED = 'Fields of several operations';

/** From so many fields on, those of an operation are not listed if another one of its resource has them all. */
const REPEATED_FROM = 10;

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
			...operations.flatMap((operation) => [
				`### ${name}: ${operation.name}`,
				sentence(operation.description),
				describeFields(operation, operations, shared),
			]),
		]),
	].join('\n\n');
}

function describeFields(
	operation: Operation,
	operations: readonly Operation[],
	shared: ReadonlySet<string>,
): string {
	const all = withAllFieldsOf(operation, operations);
	if (!all)
		return shownFields(operation)
			.flatMap((field) => describeField(field, '', shared))
			.join('\n');
	const own = linesOf(operation);
	const missing = innermost(all).filter((field) => !own.includes(describe(field)));
	const names = missing.map(({ displayName }) => displayName);
	return `It has the fields of ${all.name}${names.length > 0 ? `, without ${names.join(', ')}` : ''}.`;
}

/** Another operation that has all fields of this one, which has many. */
function withAllFieldsOf(
	operation: Operation,
	operations: readonly Operation[],
): Operation | undefined {
	const lines = linesOf(operation);
	if (lines.length < REPEATED_FROM) return undefined;
	return operations.find((other) => {
		const others = linesOf(other);
		return others.length > lines.length && lines.every((line) => others.includes(line));
	});
}

const shownFields = (operation: Operation): INodeProperties[] =>
	allFields(operation).filter(({ type }) => type !== 'notice');

/** The fields of an operation that have no others inside. */
const innermost = (operation: Operation): INodeProperties[] =>
	shownFields(operation)
		.flatMap((field) => [field, ...innerOf(field)])
		.filter((field) => innerOf(field).length === 0);

const linesOf = (operation: Operation): string[] => innermost(operation).map(describe);

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

/** The lines of fields with the same description in several operations; of several fields of a name, the most frequent. */
function sharedFields(): Set<string> {
	const counts = new Map<string, number>();
	for (const { operations } of resources)
		for (const operation of operations)
			if (!withAllFieldsOf(operation, operations))
				for (const line of new Set(linesOf(operation)))
					counts.set(line, (counts.get(line) ?? 0) + 1);
	const frequent = [...counts]
		.filter(([line, count]) => count >= SHARED_BY && line.length >= SHARED_FROM)
		.toSorted(([, a], [, b]) => a - b)
		.map(([line]) => line);
	return new Set(new Map(frequent.map((line) => [line.split(':')[0], line])).values());
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

/** A description as a sentence, without the one that n8n's rules add to fields with a list. */
function sentence(description: string): string {
	const text = description.replace(
		/ ?Choose from the list, or specify an ID using an <a .*<\/a>\.$/,
		'',
	);
	return /[.!?]$/.test(text) ? text : `${text}.`;
}
