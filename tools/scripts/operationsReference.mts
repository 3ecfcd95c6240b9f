import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { endpointLine } from './operationsTable.mts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import {
	allFields,
	type Operation,
	type Resource,
} from '../../nodes/ConversationalMessaging/runner/operation.ts';

/** A field of several operations whose lines have so many characters in all is described once. */
const SHARED_FROM = 160;

const SHARED = 'Fields of several operations';

/** Fields that follow from the kind of operation. The introduction says which operations have them. */
const EVERYWHERE = ['Selected Fields', 'Return All', 'Limit', 'Ignore Empty Filters'];

/** Fields without a line: their names say what they do, or there is nothing to enter. */
const UNSAID = ['Return All', 'Limit', 'Template Text'];

/** Words with which a description adds nothing to a field's name, its operation and its resource. */
const FILLER = wordsIn(
	'a an the of to in on at for from by with this these that only what which is are has have it its or and new display',
);

/** From so many fields on, those of an operation are not listed if another one of its resource has them all. */
const REPEATED_FROM = 10;

/** Every operation with its fields as a Markdown document. */
export function operationsReference(): string {
	const shared = sharedFields();
	return [
		'# Operations',
		'Written by `npm run docs`, from the code. Fields in bold are required where they are shown.',
		'## Endpoints and permissions',
		'Below the description of each operation is its endpoint and the permission that the token needs. The permissions after _also_ are for some of its settings only. To pick records from lists, the token also needs `settings.view` for channels, `users.manage` for agents, and the `.view` permission of everything else.',
		`## ${SHARED}`,
		'A field with an asterisk is described in an earlier operation of its resource or, if not there, here; text after an asterisk adds to that. Where its name says everything, a field has no description; a filter without one returns only the records that have its value.',
		'Not listed below: Selected Fields, an option of nearly all operations; Return All and Limit, of operations that return lists; and Ignore Empty Filters, an option of operations with filters.',
		[...shared].toSorted().join('\n'),
		...resources.flatMap((resource) => sectionOf(resource, shared)),
	].join('\n\n');
}

function sectionOf({ name, operations }: Resource, shared: ReadonlySet<string>): string[] {
	const described = new Set(shared);
	const sections = operations.flatMap((operation) => {
		const known = { described, obvious: wordsIn(`${name} ${operation.name}`) };
		const text = describeFields(operation, operations, known);
		const fields = innermost(operation).filter((field) => saysMore(field, known.obvious));
		for (const line of [...fields.map(describe), ...groupsOf(operation)]) {
			if (begunBy(line, described) !== undefined) continue;
			for (const other of described) if (nameIn(other) === nameIn(line)) described.delete(other);
			described.add(line);
		}
		return [
			`### ${name}: ${operation.name}`,
			sentence(operation.description),
			endpointLine(operation),
			text,
		];
	});
	return [`## ${name}`, ...sections];
}

/** What a reader of an operation knows: the lines that were described before, and the words of its heading. */
interface Known {
	described: ReadonlySet<string>;
	obvious: ReadonlySet<string>;
}

function describeFields(
	operation: Operation,
	operations: readonly Operation[],
	known: Known,
): string {
	const all = withAllFieldsOf(operation, operations);
	if (!all) return describeAll(shownFields(operation), '', known).join('\n');
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

/** The groups of fields of an operation, each as a text. */
const groupsOf = (operation: Operation): string[] =>
	shownFields(operation)
		.flatMap((field) => [field, ...innerOf(field)])
		.filter(({ type }) => type === 'fixedCollection')
		.map(describeGroup);

const describeGroup = (field: INodeProperties): string =>
	[field, ...innerOf(field)].map(describe).join('\n');

/** The description among these that is the beginning of a line, or the line itself. */
const begunBy = (line: string, described: ReadonlySet<string>): string | undefined =>
	[...described].find((other) => other.includes(': ') && `${line} `.startsWith(`${other} `));

/** Fields as a list. Neighbors without a description are one line. */
function describeAll(fields: readonly INodeProperties[], indent: string, known: Known): string[] {
	const lines: string[] = [];
	let brief: string[] = [];
	const endBrief = () => {
		if (brief.length > 0) lines.push(`${indent}- ${brief.join(', ')}`);
		brief = [];
	};
	for (const field of fields) {
		// Shown only where a saved workflow has it: another field has replaced it.
		if (field.displayOptions?.show?.[field.name]) continue;
		if ([...EVERYWHERE, ...UNSAID].includes(field.displayName)) continue;
		const name = field.required ? `**${field.displayName}**` : field.displayName;
		const shown = saysMore(field, known.obvious) ? describe(field) : lineOf(field, '');
		const isBare = shown === `- ${field.displayName}`;
		const fieldsInside = innerOf(field);
		if (fieldsInside.length === 0 && isBare) {
			brief.push(name);
			continue;
		}
		if (known.described.has(describeGroup(field))) {
			brief.push(`${name}\\*`);
			continue;
		}
		const names = wordsIn(`${field.displayName} ${field.description ?? ''}`);
		const inside = { ...known, obvious: new Set([...known.obvious, ...names]) };
		const inner = describeAll(fieldsInside, `${indent}  `, inside);
		if (fieldsInside.length > 0 && inner.length === 0) continue;
		endBrief();
		const begun = begunBy(shown, known.described);
		const mark = begun === undefined ? '' : '\\*:';
		const text = shown.slice((begun ?? `- ${field.displayName}`).length);
		lines.push(`${indent}- ${name}${mark}${text}`, ...inner);
	}
	endBrief();
	return lines;
}

/** The lines of fields with the same description in several operations; of several fields of a name, the most frequent. */
function sharedFields(): Set<string> {
	const counts = new Map<string, number>();
	for (const { name, operations } of resources)
		for (const operation of operations) {
			if (withAllFieldsOf(operation, operations)) continue;
			const obvious = wordsIn(`${name} ${operation.name}`);
			const fields = innermost(operation).filter(
				(field) => !UNSAID.includes(field.displayName) && saysMore(field, obvious),
			);
			for (const line of new Set(fields.map(describe)))
				counts.set(line, (counts.get(line) ?? 0) + 1);
		}
	const frequent = [...counts]
		.filter(([line, count]) => count > 1 && count * line.length >= SHARED_FROM)
		.toSorted(([, a], [, b]) => a - b)
		.map(([line]) => line);
	return new Set(new Map(frequent.map((line) => [nameIn(line), line])).values());
}

/** The name in a line about a field. */
const nameIn = (line: string): string | undefined => line.split(/[:.]/)[0];

/** A field, what it is for, and its choices, as a line of a list. */
const describe = (field: INodeProperties): string =>
	lineOf(field, sentence(field.description ?? ''));

/** @param text what the field is for; empty if its name says it */
function lineOf({ displayName, type, options = [] }: INodeProperties, text: string): string {
	const names =
		type === 'options'
			? (options as INodePropertyOptions[]).map(({ name }) => name).join(', ')
			: '';
	const choices = names === '' ? '' : `${text === '' ? '' : 'One of: '}${names}.`;
	const content = [text, choices].filter((part) => part !== '').join(' ');
	return `- ${displayName}${content === '' ? '' : `: ${content}`}`;
}

/** Whether the description of a field adds a word to its name, its operation and its resource. */
function saysMore(
	{ displayName, description = '' }: INodeProperties,
	obvious: ReadonlySet<string>,
): boolean {
	const name = wordsIn(displayName);
	return [...wordsIn(sentence(description))].some(
		(word) => !FILLER.has(word) && !name.has(word) && !obvious.has(word),
	);
}

/** The words of a text, without the ending of the plural. */
function wordsIn(text: string): Set<string> {
	return new Set(
		text
			.toLowerCase()
			.match(/[\p{L}\d]+/gu)
			?.map((word) => word.replace(/s$/, '')),
	);
}

/** The fields inside a field. */
function innerOf({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ values }) => values);
}

/**
 * A description as a sentence, without what n8n's rules add: a sentence to fields with a list, and two words to those that
 * are turned on.
 */
function sentence(description: string): string {
	const text = description
		.replace(/ ?Choose from the list, or specify an ID using an <a .*<\/a>\.$/, '')
		.replace(/^Whether to ([a-z])/, (_all, first: string) => first.toUpperCase());
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
