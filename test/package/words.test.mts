import type { INodeProperties } from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { ConversationalMessagingApi } from '../../credentials/ConversationalMessagingApi.credentials.ts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { filesIn } from './filesIn.mts';
import { textsIn } from './textsIn.mts';
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

const nodes = [new ConversationalMessaging(), new ConversationalMessagingTrigger()];
const shownIn = (keys: string[]) => [
	...nodes.flatMap(({ description }) => textsIn(description, keys)),
	...textsIn(new ConversationalMessagingApi().properties, keys),
];
const described = shownIn(SHOWN_KEYS);

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

const ON_SCREEN = [...AVOIDED, ...TICS];

/** The avoided wordings in texts, with what to write instead. */
const avoidedIn = (texts: readonly string[], wordings: AvoidedWording[]) =>
	texts.flatMap((text) =>
		wordings.filter(([pattern]) => pattern.test(text)).map(([, reason]) => [text, reason]),
	);

/** All Markdown documents, which GitHub or npm show. */
const documents = [...readdirSync('.'), ...filesIn('docs')].filter((name) => name.endsWith('.md'));

const paragraphs = documents.flatMap((document) =>
	readFileSync(document, 'utf8')
		.replace(/^```[\s\S]*?^```|`[^`]*`/gm, '')
		.split(/\n\n/)
		.map((paragraph) => `${document}: ${paragraph.replace(/\s+/g, ' ')}`),
);

test.each<[what: string, one: string, texts: string[], wordings: AvoidedWording[]]>([
	['node description', 'Wait for Completion (Minutes)', described, ON_SCREEN],
	[
		'message in a source file',
		'Waiting … s for the service',
		sources.flatMap(literalsIn),
		ON_SCREEN,
	],
	['document', 'CHANGELOG.md: # Changelog', paragraphs, TICS],
])('no %s uses an avoided wording, such as "%s"', (_what, one, texts, wordings) => {
	expect(texts).toContain(one);
	expect(avoidedIn(texts, wordings)).toStrictEqual([]);
});

/** As n8n asks authors of community nodes (UX guidelines, Placeholders). */
test('a placeholder is an example, or says what a click does', () => {
	const others = shownIn(['placeholder']).filter(
		(text) => !/^(?:e\.g\. |Add |Change |Select )/.test(text),
	);
	expect(others).toStrictEqual([]);
});

/** As n8n asks authors of community nodes (UX guidelines, Text Case). */
test('names are in Title Case, with short words in small letters', () => {
	const names = shownIn(['displayName']).filter((text) => !text.includes('.'));
	expect(names).toContain('Put Output File in Field');
	const miscased = / (?:A|An|And|As|At|By|For|In|Of|On|Or|Per|The|To|With) /;
	expect(names.filter((name) => miscased.test(name))).toStrictEqual([]);
});

/** As n8n asks authors of nodes (Node UI design, UI text style). */
test('a notice ends with a full stop only if it has several sentences', () => {
	const notices = nodes
		.flatMap(({ description }): INodeProperties[] => description.properties)
		.filter(({ type }) => type === 'notice')
		.map(({ displayName }) => displayName);
	expect(notices.length).toBeGreaterThan(2);
	expect(notices.filter((text) => text.endsWith('.') !== text.includes('. '))).toStrictEqual([]);
});

/** An action followed by a word: "Watch tickets was rejected". */
const ACTION_AS_SUBJECT = /\b(?:request|requestInfo)\.action\} /;

test('no message uses an operation as the subject of a sentence', () => {
	const found = sources.filter((file) => ACTION_AS_SUBJECT.test(readFileSync(file, 'utf8')));
	expect(found).toStrictEqual([]);
});
