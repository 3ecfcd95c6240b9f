/**
 * Rules of n8n's linter that are on its main branch and in no published version yet. Reviewers run the newest one. Once
 * `n8n-node lint` has a rule, its test can go.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { textsIn } from './textsIn.mts';

const FOLDER = 'nodes/ConversationalMessaging/';

/** The codex: how n8n's nodes panel lists and finds a node. */
interface Codex {
	categories: string[];
	alias: string[];
}

const codexOf = (node: string) =>
	JSON.parse(readFileSync(`${FOLDER}${node}.node.json`, 'utf8')) as Codex;
const action = codexOf('ConversationalMessaging');
const trigger = codexOf('ConversationalMessagingTrigger');

const CATEGORIES = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

const nodes = [new ConversationalMessaging(), new ConversationalMessagingTrigger()] as const;

describe.each([
	['action node', action, nodes[0]],
	['trigger', trigger, nodes[1]],
])('%s', (_name, codex, node) => {
	test('valid-node-categories, no-codex-subcategories', () => {
		expect(codex.categories.length).toBeGreaterThan(0);
		expect(codex.categories.filter((category) => !CATEGORIES.includes(category))).toStrictEqual([]);
		expect(codex).not.toHaveProperty('subcategories');
		expect(node.description).not.toHaveProperty('codex');
	});
});

test('hint-max-length', () => {
	const hints = nodes.flatMap(({ description }) => textsIn(description.properties, ['hint']));
	expect(hints).not.toStrictEqual([]);
	expect(hints.filter((hint) => hint.length > 120)).toStrictEqual([]);
});

test('no-hardcoded-ids', () => {
	const fixedId =
		/\b(?:partner|affiliate|reseller|account|tenant|customer|client)[_-]?id['"]?\]?\s*[:=]\s*['"`]/i;
	expect(fixedId.test("const partnerId = 'ada'")).toBe(true);
	const files = readdirSync(FOLDER).filter((name) => name.endsWith('.node.ts'));
	expect(files).toHaveLength(2);
	expect(files.filter((name) => fixedId.test(readFileSync(FOLDER + name, 'utf8')))).toStrictEqual(
		[],
	);
});

test("n8n's nodes panel searches the aliases of the action node alone, so these include the trigger's", () => {
	expect(trigger.alias.filter((alias) => !action.alias.includes(alias))).toStrictEqual([]);
	for (const alias of [action.alias, trigger.alias]) expect(alias.length).toBe(new Set(alias).size);
});
