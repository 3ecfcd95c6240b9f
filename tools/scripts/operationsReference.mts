import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { permissionsTable } from './operationsTable.mts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields, type Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** A field of several operations whose lines have so many characters in all is described once. */
const SHARED_FROM = 160;

const SHARED = 'Fields of several operations';

/** The option that nearly all operations have. */
const EVERYWHERE = 'Selected Fields';

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
		`Below, these have an asterisk instead of a description. ${EVERYWHERE} is an option of nearly all operations, and not listed there.`,
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
	if (!all) return describeAll(shownFields(operation), '', shared).join('\n');
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

/** Fields as a list. Neighbors without a description are one line. */
function describeAll(
	fields: readonly INodeProperties[],
	indent: string,
	shared: ReadonlySet<string>,
): string[] {
	const lines: string[] = [];
	let brief: string[] = [];
	const endBrief = () => {
		if (brief.length > 0) lines.push(`${indent}- ${brief.join(', ')}`);
		brief = [];
	};
	for (const field of fields) {
		// Shown only where a saved workflow has it: another field has replaced it.
		if (field.displayOptions?.show?.[field.name] || field.displayName === EVERYWHERE) continue;
		const inner = describeAll(innerOf(field), `${indent}  `, shared);
		if (innerOf(field).length > 0 && inner.length === 0) continue;
		const line = describe(field);
		const name = field.required ? `**${field.displayName}**` : field.displayName;
		const isBrief = shared.has(line) || line === `- ${field.displayName}`;
		if (isBrief && inner.length === 0) {
			brief.push(shared.has(line) ? `${name}\\*` : name);
		} else {
			endBrief();
			lines.push(`${indent}${line.replace(field.displayName, name)}`, ...inner);
		}
	}
	endBrief();
	return lines;
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
		.filter(([line, count]) => count > 1 && count * line.length >= SHARED_FROM)
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
	const text = sentence(field.description ?? '');
	const saysMore = text !== '' && text !== `The ${field.displayName.toLowerCase()}.`;
	return `- ${field.displayName}${saysMore ? `: ${text}` : ''}${one}`;
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
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
