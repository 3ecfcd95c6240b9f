import { readdirSync, readFileSync } from 'node:fs';
import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';
import { ConversationalMessagingApi } from '../../credentials/ConversationalMessagingApi.credentials.ts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { filesIn } from './filesIn.mts';
import { AVOIDED, TICS, type AvoidedWording } from './words.mts';

/** Keys of a node's description whose values are shown. */
const SHOWN_KEYS = [
	'action',
	'addAllFields',
	'description',
	'displayName',
	'hint',
	'name',
	'noFieldsError',
	'placeholder',
	'subtitle',
];

/** The texts in a description that n8n shows, of fields within fields and of options too. */
function shownIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(shownIn);
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) =>
		typeof inner === 'string' ? (SHOWN_KEYS.includes(key) ? [inner] : []) : shownIn(inner),
	);
}

const nodes = [new ConversationalMessaging(), new ConversationalMessagingTrigger()];
const described = [
	...nodes.flatMap(({ description }) => shownIn(description)),
	...shownIn(new ConversationalMessagingApi().properties satisfies INodeProperties[]),
];

/** Vocabularies for interpreting the service's words. They are never shown. */
const VOCABULARIES = ['progress.ts', 'serviceWindow.ts'];

/** Standard names that contain an avoided word. */
const STANDARD_NAMES = ['Internal Server Error'];

const sources = ['nodes', 'credentials']
	.flatMap(filesIn)
	.filter((name) => name.endsWith('.ts'))
	.filter((name) => !VOCABULARIES.some((file) => name.endsWith(file)));

/** Every text of several words in a source file, which includes messages, next steps, hints and log lines. */
function literalsIn(file: string): string[] {
	const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
		if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
		if (ts.isTemplateExpression(node))
			texts.push(
				[node.head, ...node.templateSpans.map(({ literal }) => literal)].map(textOf).join('…'),
			);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts.filter((text) => /[a-z…] [a-z…]/i.test(text) && !STANDARD_NAMES.includes(text));
}

const textOf = ({ text }: ts.LiteralLikeNode): string => text;

const written = sources.flatMap((file) => literalsIn(file).map((text) => [file, text] as const));

const ON_SCREEN = [...AVOIDED, ...TICS];

/** The avoided wordings in a text, with what to write instead. */
const avoidedIn = (text: string, wordings: AvoidedWording[] = ON_SCREEN) =>
	wordings.filter(({ pattern }) => pattern.test(text)).map(({ reason }) => reason);

test('every avoided wording is found in its example', () => {
	for (const { example, reason } of ON_SCREEN)
		expect([example, avoidedIn(`Saved. ${example}.`)]).toStrictEqual([
			example,
			expect.arrayContaining([reason]),
		]);
});

test('the texts of the node descriptions are those of every kind of field, of the credential and of the trigger', () => {
	expect(described).toStrictEqual(
		expect.arrayContaining([
			'Put Output File in Field',
			'How to return the CSV',
			// The description of an option.
			'One item per CSV row',
			'Get many tickets',
			'e.g. Spring sale',
			// Inside a collection, and inside a fixed collection.
			'Wait for Completion (Minutes)',
			'Name of the column in the service’s import template',
			// A mode of a picker.
			'By WhatsApp ID',
			'URL of the service, up to and including /api/v2',
			'Include New Records',
		]),
	);
});

test('the texts of the source files are messages, next steps, hints and log lines', () => {
	expect(written.map(([, text]) => text)).toStrictEqual(
		expect.arrayContaining([
			'the rate limit requires a wait of {time} (429 Too Many Requests)',
			'Not retried because it may have succeeded. Check the service before you run it again.',
			'This run waited for the service’s rate limit, up to … s at a time',
			'Waiting … s for the service',
			'Failed … polls in a row. The next successful poll reports what has changed since the last successful one.',
		]),
	);
});

test('no node description uses an avoided wording', () => {
	const found = described.map((text) => [text, ...avoidedIn(text)]);
	expect(found.filter(([, reason]) => reason !== undefined)).toStrictEqual([]);
});

test('no message in a source file uses an avoided wording', () => {
	const found = written.map(([file, text]) => [file, text, ...avoidedIn(text)]);
	expect(found.filter(([, , reason]) => reason !== undefined)).toStrictEqual([]);
});

/** An action followed by a word: "Watch tickets was rejected". */
const ACTION_AS_SUBJECT = /\b(?:request|requestInfo)\.action\} /;

test('no message uses an operation as the subject of a sentence', () => {
	expect('`${context.requestInfo.action} was rejected`').toMatch(ACTION_AS_SUBJECT);
	expect('`${request.action}: the poll ran out of time`').not.toMatch(ACTION_AS_SUBJECT);
	const found = sources.filter((file) => ACTION_AS_SUBJECT.test(readFileSync(file, 'utf8')));
	expect(found).toStrictEqual([]);
});

/** All Markdown documents, which GitHub or npm show. */
const documents = [...readdirSync('.'), ...filesIn('docs')].filter((name) => name.endsWith('.md'));

test('no document uses a wording that reads as if translated', () => {
	const found = documents.flatMap((document) => {
		const prose = readFileSync(document, 'utf8').replace(/^```[\s\S]*?^```|`[^`]*`/gm, '');
		return prose
			.split(/\n\n/)
			.map((paragraph) => paragraph.replace(/\s+/g, ' '))
			.map((text) => [document, text, ...avoidedIn(text, TICS)]);
	});
	expect(found.filter(([, , reason]) => reason !== undefined)).toStrictEqual([]);
});
