import { readdirSync, readFileSync } from 'node:fs';
import { ConversationalMessagingApi } from '../../credentials/ConversationalMessagingApi.credentials.ts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { allFields } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { exampleFiles } from '../../tools/demo/example.mts';
import { textsIn } from './textsIn.mts';

/** The guides for users. They write the names of fields, choices, operations and nodes in bold or italics. */
const GUIDES = [
	'README.md',
	'examples/README.md',
	...['ADMINISTRATION', 'CHECK', 'GLOSSARY', 'TRIGGER', 'TRIGGER-INTERNALS', 'USAGE'].map(
		(name) => `docs/${name}.md`,
	),
	...readdirSync('docs/jobs').map((name) => `docs/jobs/${name}`),
];

/** Names in n8n, in the service's dashboard, and in the report of the check. */
const OTHER_NAMES = [
	'API Access, Authentication, Broken, Clear Deduplication History, Community nodes, Continue, Convert to File, Continue (using error output)',
	'Conversational Messaging Tool, Error, Edit Fields, Error Workflow, Execute step, Execute Sub-workflow, Execute workflow',
	'Execution Order, Executions, Expression, Extract from File, Fetch Test Event, Filter, Gmail, History Size, HTML, Send Email, If, From file, Import',
	'Include Other Input Fields, Install, Loop Over Items, More details, On Error, Open chat, Poll Times, Prompt (User Message)',
	'Always Output Data, Data table, Data tables, Delimiter, Encoding, Exclude Byte Order Mark, Remove Duplicates, String, Switch, Upsert, Wait',
	'Remove Items Processed in Previous Executions, Retry, Retry execution, Retry On Fail, Settings',
	'HTTP Request, Predefined Credential Type, Production URL, Save successful production executions, System Message, Text Classifier, Tool, Uninstall package, Unknown, Update, Wait For Sub-Workflow Completion',
].flatMap((line) => line.split(', '));

const namesIn = (value: unknown): string[] => textsIn(value, ['action', 'displayName', 'name']);

const examples = exampleFiles().map((name): unknown =>
	JSON.parse(readFileSync(`examples/${name}`, 'utf8')),
);

const names = new Set([
	...OTHER_NAMES,
	...namesIn(new ConversationalMessaging().description),
	...namesIn(new ConversationalMessagingTrigger().description),
	...namesIn(new ConversationalMessagingApi()),
	...namesIn(examples),
]);

/**
 * The names that a text writes in bold or italics: "Options → Channel" are two. A name begins with a capital letter. Bold
 * text at the beginning of a list item is a sentence or a heading, unless a colon follows.
 */
function namesInText(text: string): string[] {
	const prose = text
		.replace(/```[\s\S]*?```|`[^`]*`/g, '')
		.replace(/^(\s*(?:-|\d+\.) )\*\*[^*→]+\*\*(?!:)/gm, '$1');
	return [...prose.matchAll(/\*\*([^*]+)\*\*|\b_([^_]+)_\b/g)]
		.map(([, bold, italic]) => (bold ?? italic ?? '').replace(/\s+/g, ' '))
		.filter((name) => !/[.:]$/.test(name))
		.flatMap((name) => name.split(' → '))
		.filter((name) => /^[A-Z]/.test(name));
}

test('names are found in bold and in italics', () => {
	const text = [
		'- **Order.** Set **Message → Send** or',
		'  _Take Over_ to _any_ `_Value_`.',
		'- **Text**: what to send, and **On',
		'  Error**.',
	].join('\n');
	expect(namesInText(text)).toStrictEqual(['Message', 'Send', 'Take Over', 'Text', 'On Error']);
});

test('guides name only fields, choices and operations that exist', () => {
	const unknown = GUIDES.flatMap((guide) =>
		namesInText(readFileSync(guide, 'utf8'))
			.filter((name) => !names.has(name))
			.map((name) => `${guide}: ${name}`),
	);
	expect(unknown).toStrictEqual([]);
});

test('notices in the editor name only what exists', () => {
	const { properties } = new ConversationalMessaging().description;
	const bold = textsIn(properties, ['displayName']).flatMap((text) =>
		[...text.matchAll(/<b>(.+?)<\/b>/g)].map(([, name]) => name!),
	);
	expect(bold).toContain('Preview');
	expect(bold.filter((name) => !names.has(name))).toStrictEqual([]);
});

/** Fields as n8n describes them: what is in them has the same names again. */
interface Field {
	displayName?: string;
	name: string;
	options?: Field[];
	values?: Field[];
}

test('each recipe names an operation or an event, and fields and options that it has', () => {
	const labelsOf = (fields: Field[]): string[] =>
		fields.flatMap(({ displayName, name, options = [], values = [] }) => [
			displayName ?? name,
			...labelsOf([...options, ...values]),
		]);
	const trigger = labelsOf(new ConversationalMessagingTrigger().description.properties);
	const rows = [...readFileSync('docs/RECIPES.md', 'utf8').matchAll(/^\| \[.*$/gm)].map(([row]) =>
		row.split('|').map((cell) => cell.trim()),
	);
	expect(rows.length).toBeGreaterThanOrEqual(40);
	const wrong = rows.flatMap(([, task = '', use = '', options = '']) => {
		const [resource, action] = use.split(' → ');
		const operation = resources
			.find(({ name }) => name === resource)
			?.operations.find(({ name }) => name === action);
		const known = operation ? labelsOf(allFields(operation)) : trigger;
		const isKnown = operation ?? (resource === 'Trigger' && trigger.includes(action!));
		const named = options.split(', ').filter((name) => !known.includes(name));
		return isKnown && /^\[.+\]\(.+\)$/.test(task) && named.length === 0 ? [] : [[task, use, named]];
	});
	expect(wrong).toStrictEqual([]);
});
