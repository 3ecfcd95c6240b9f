import path from 'node:path';
import { config } from '@n8n/node-cli/eslint';
import { ESLint, type Linter } from 'eslint';
import type { INodeType } from 'n8n-workflow';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';

/** Those that do not know two fields of one name, those about the order of keys, and two that this package breaks on purpose. */
const OFF = [
	'node-param-fixed-collection-type-unsorted-items',
	'node-param-display-name-not-first-position',
	'node-param-required-false',
	// "De-escalate chat"
	'node-param-operation-option-action-miscased',
	// An AI agent reads the description of a field, not its name.
	'node-param-description-identical-to-display-name',
].map((name) => `n8n-nodes-base/${name}`);

const entries = [config].flat(9) as Linter.Config[];
const rules = Object.entries(
	entries.find(({ files }) => files?.includes('./nodes/**/*.ts'))!.rules!,
);

/** `n8n-node lint`, with its rules for fields only. */
const eslint = new ESLint({
	overrideConfigFile: true,
	overrideConfig: {
		files: ['**/*.ts'],
		languageOptions: entries.find(({ languageOptions }) => languageOptions?.parser)!
			.languageOptions,
		plugins: entries.find(({ plugins }) => plugins?.['n8n-nodes-base'])!.plugins,
		rules: Object.fromEntries(
			rules.filter(([name]) => name.includes('/node-param-') && !OFF.includes(name)),
		),
	},
});

async function findings(name: string, description: object): Promise<string[]> {
	const literal = JSON.stringify(description, null, '\t').replace(/^(\t+)"(\w+)":/gm, '$1$2:');
	const code = `export class ${name} implements INodeType {\n\tdescription = ${literal};\n}\n`;
	const [result] = await eslint.lintText(code, {
		filePath: path.resolve(`nodes/ConversationalMessaging/${name}.node.ts`),
	});
	const lines = code.split('\n');
	return result!.messages.map(
		({ ruleId, line, message }) =>
			`${ruleId}: ${message} ${lines.slice(line - 3, line + 1).join('')}`,
	);
}

/** Otherwise, n8n's lint sees only fields that are written out, not those that functions make. */
test.each<[string, INodeType]>([
	['ConversationalMessaging', new ConversationalMessaging()],
	['ConversationalMessagingTrigger', new ConversationalMessagingTrigger()],
])('n8n’s lint has nothing to say about any field of %s', async (name, { description }) => {
	expect(await findings(name, description)).toStrictEqual([]);
});

test('n8n’s lint notices a field that is not as it asks', async () => {
	const broken = {
		displayName: 'Is It',
		name: 'isIt',
		type: 'boolean',
		default: '',
		description: 'It.',
	};
	expect(await findings('Broken', { properties: [broken] })).toHaveLength(3);
});
