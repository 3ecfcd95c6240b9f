/** The example workflows as files: what n8n's editor shows of them, and whether the next n8n still runs them. */
import { existsSync, readFileSync } from 'node:fs';
import { type IDataObject, type IDisplayOptions, type INode, NodeHelpers } from 'n8n-workflow';
import { PACKAGE_NAME, STICKY_NOTE, type WorkflowFile } from '../../tools/engine/workflows.mts';
import { exampleFiles } from '../../tools/demo/example.mts';
import { fillIn } from '../../tools/demo/fillIn.mts';
import { permissionOf } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { ConversationalMessaging } from '../../nodes/ConversationalMessaging/ConversationalMessaging.node.ts';
import { ConversationalMessagingTrigger } from '../../nodes/ConversationalMessaging/ConversationalMessagingTrigger.node.ts';
import { resources } from '../../nodes/ConversationalMessaging/resources/index.ts';
import { ManualClock } from '../../sandbox/clock.mts';
import { seedWorld } from '../../sandbox/seed.mts';
import { World } from '../../sandbox/world.mts';

const examples = exampleFiles().map((name) => {
	const file = JSON.parse(readFileSync(`examples/${name}`, 'utf8')) as WorkflowFile;
	return [name, file] as const;
});

const ACTION = new ConversationalMessaging().description;
const TRIGGER = new ConversationalMessagingTrigger().description;

const isOurs = ({ type }: INode) => type.startsWith(`${PACKAGE_NAME}.`);
const isNote = ({ type }: INode) => type === STICKY_NOTE;
const descriptionOf = ({ type }: INode) => (type.endsWith('Trigger') ? TRIGGER : ACTION);

/** A field, or a kind of entry of a fixed collection. */
interface Field {
	displayName?: string;
	name: string;
	type?: string;
	displayOptions?: IDisplayOptions;
	options?: Field[];
	values?: Field[];
}

/** The fields of a node with its resource and operation. */
const fieldsOf = (node: INode): Field[] =>
	(descriptionOf(node).properties as Field[]).filter(
		({ displayOptions: { show = {} } = {} }) =>
			(show.resource?.includes(node.parameters.resource as string) ?? true) &&
			((show.operation ?? show['/operation'])?.includes(node.parameters.operation as string) ??
				true),
	);

describe('an example has no field that its node does not know, which would be ignored:', () => {
	test.each(examples)('%s', (_name, { nodes }) => {
		expect(nodes.filter(isOurs).length).toBeGreaterThan(0);
		for (const node of nodes.filter(isOurs)) {
			// n8n adds fields: to triggers that poll, and to the tools of AI agents.
			const { pollTimes, descriptionType, toolDescription, ...values } = node.parameters;
			expect([node.name, unknownKeys(values, fieldsOf(node))]).toStrictEqual([node.name, []]);
		}
	});

	function unknownKeys(values: IDataObject, fields: Field[]): string[] {
		return Object.entries(values).flatMap(([key, value]) => {
			const same = fields.filter(({ name }) => name === key);
			if (same.length === 0) return [key];
			const isNested = same.some(({ type, values: own }) => own ?? /ollection$/.test(type ?? ''));
			if (!isNested) return [];
			const inner = same.flatMap((field) => field.values ?? field.options ?? []);
			return [value as IDataObject | IDataObject[]]
				.flat()
				.flatMap((entry) => unknownKeys(entry, inner).map((name) => `${key}.${name}`));
		});
	}
});

test('no example has values of items in the instructions of a model: customers write them', () => {
	const instructions = examples.flatMap(([name, { nodes }]) =>
		nodes.flatMap(({ parameters }) => {
			const text = (parameters.options as IDataObject | undefined)?.systemMessage;
			return typeof text === 'string' ? [[name, text.startsWith('=')]] : [];
		}),
	);
	expect(instructions).toStrictEqual([
		['ai-agent.json', false],
		['whatsapp-agent.json', false],
	]);
});

test('the tools of AI agents in examples return a rejection to the model, which ends an execution otherwise', () => {
	const tools = examples.flatMap(([, { nodes }]) =>
		nodes.filter((node) => isOurs(node) && /(?<!Hitl)Tool$/.test(node.type)),
	);
	expect(tools.map(({ name, onError }) => [name, onError])).toStrictEqual(
		['Find Contact', 'Open Ticket', 'Find Tickets', 'Escalate', 'Refund'].map((name) => [
			name,
			'continueRegularOutput',
		]),
	);
});

describe('the yellow note of an example', () => {
	const noteOf = ({ nodes }: WorkflowFile): string => {
		const yellow = nodes.filter((node) => isNote(node) && node.parameters.color === undefined);
		expect(yellow).toHaveLength(1);
		return yellow[0]!.parameters.content as string;
	};

	const pageOf = (note: string): string =>
		/\]\(https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/main\/(\S+\.md)\)/.exec(note)?.[1] ?? '';

	test.each(examples)(
		'%s begins with its name, and links a page of the documentation',
		(_name, file) => {
			const note = noteOf(file);
			expect(note.startsWith(`## ${file.name}\n\n`)).toBe(true);
			expect([pageOf(note), existsSync(pageOf(note))]).toStrictEqual([pageOf(note), true]);
		},
	);

	test.each(examples)('%s links a page that names the permissions of its nodes', (_name, file) => {
		const page = readFileSync(pageOf(noteOf(file)), 'utf8');
		const needed = file.nodes.filter(isOurs).flatMap(({ type, parameters }) => {
			if (type.endsWith('Trigger')) return [];
			const operation = resources
				.find(({ value }) => value === parameters.resource)
				?.operations.find(({ value }) => value === parameters.operation);
			expect([type, parameters, operation]).toStrictEqual([type, parameters, expect.anything()]);
			return permissionOf(operation!.endpoint);
		});
		expect(needed.filter((permission) => !page.includes(`\`${permission}\``))).toStrictEqual([]);
	});

	test.each(examples)('%s names each blank', (_name, file) => {
		const steps = noteOf(file)
			.split('\n')
			.filter((line) => /^\d+\. /.test(line));
		expect(steps).not.toHaveLength(0);
		const unnamed = blanksOf(file).filter(
			([node, field]) =>
				!steps.some((step) => step.includes(`**${node}**`) && step.includes(`_${field}_`)),
		);
		expect(unnamed).toStrictEqual([]);
	});

	test('blanks are the fields that n8n marks in red, and lists in which nothing is picked', () => {
		const optOut = examples.find(([name]) => name === 'opt-out.json')![1];
		expect(blanksOf(optOut)).toStrictEqual([
			['Add to Segment', 'Segment'],
			['Confirm', 'Send as Agent'],
		]);
	});

	test.each(examples)('%s has no blank once it is filled in', (name, file) => {
		const world = new World(new ManualClock(Date.UTC(2026, 10, 23)), 1);
		seedWorld(world, { contacts: 30, tickets: 1, seed: 1 });
		expect(blanksOf(fillIn(name, file, world))).toStrictEqual([]);
	});

	/** What the user has to pick or enter: the names of node and field. */
	function blanksOf({ nodes }: WorkflowFile): [node: string, field: string][] {
		return nodes.filter(isOurs).flatMap((node) => {
			const description = descriptionOf(node);
			const { properties } = description;
			const issues = NodeHelpers.getNodeParametersIssues(properties, node, description);
			const names = new Set([
				...Object.keys(issues?.parameters ?? {}),
				...unpicked(node.parameters as IDataObject),
			]);
			return [...names].map((name): [string, string] => [
				node.name,
				labelOf(name, fieldsOf(node)) ?? name,
			]);
		});
	}

	/** The names of fields with a list in which nothing is picked; of a row, that of its rows. */
	function unpicked(values: IDataObject): string[] {
		return Object.entries(values).flatMap(([name, value]) => {
			if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
			const { __rl, mode, value: picked } = value as IDataObject;
			if (__rl === true) return mode === 'list' && !picked ? [name] : [];
			const rows = Object.values(value).filter(Array.isArray).flat() as IDataObject[];
			return rows.some((row) => unpicked(row).length > 0) ? [name] : unpicked(value as IDataObject);
		});
	}

	function labelOf(name: string, fields: Field[]): string | undefined {
		for (const field of fields) {
			const label =
				field.name === name
					? field.displayName
					: labelOf(name, [...(field.options ?? []), ...(field.values ?? [])]);
			if (label !== undefined) return label;
		}
		return undefined;
	}
});

describe('on the canvas, nothing covers anything else:', () => {
	/** Left, top, right and bottom, in pixels. */
	type Box = [left: number, top: number, right: number, bottom: number];

	const overlap = (a: Box, b: Box) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
	const contains = (outer: Box, inner: Box) =>
		outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];

	test.each(examples)('%s', (_name, file) => {
		const notes = file.nodes.filter(isNote).map((node) => [node, noteBox(node)] as const);
		const boxes = file.nodes
			.filter((node) => !isNote(node))
			.map((node) => [node, nodeBox(node, file)] as const);
		const found = boxes.flatMap(([node, box], i) => [
			...boxes
				.slice(i + 1)
				.filter(([, other]) => overlap(box, other))
				.map(([other]) => `${node.name} covers ${other.name}`),
			...notes
				.filter(([, other]) => overlap(box, other) && !contains(other, box))
				.map(([note]) => `${note.name} covers a part of ${node.name}`),
			...notes
				.filter(([note, other]) => contains(other, box) && other[1] + textHeight(note) > box[1])
				.map(([note]) => `${node.name} covers the text of ${note.name}`),
		]);
		const crowded = notes.flatMap(([note, box], i) => [
			...notes
				.slice(i + 1)
				.filter(([, other]) => overlap(box, other))
				.map(([other]) => `${note.name} covers ${other.name}`),
			...(textHeight(note) > box[3] - box[1] ? [`${note.name} is cut`] : []),
		]);
		expect([...found, ...crowded]).toStrictEqual([]);
	});

	const noteBox = ({ position: [x, y], parameters }: INode): Box => [
		x,
		y,
		x + (parameters.width as number),
		y + (parameters.height as number),
	];

	/**
	 * A node with its label below, as measured in the editor of n8n 2.41: a line of the label has 20 pixels and at most
	 * 168, and the operation below it another 24.
	 */
	function nodeBox({ name, position: [x, y] }: INode, { connections }: WorkflowFile): Box {
		const isAi = (type: string) => type.startsWith('ai_');
		const isPart = Object.keys(connections[name] ?? {}).some(isAi);
		const hasParts = Object.values(connections).some((each) =>
			Object.entries(each).some(
				([type, outputs]) => isAi(type) && outputs.flat().some((target) => target?.node === name),
			),
		);
		const size = isPart ? 80 : 96;
		// Its label is inside, and names of its inputs are below.
		if (hasParts) return [x, y, x + (isPart ? 240 : 224), y + size + 24];
		const label = name.length * 8.3;
		const half = Math.max(size, Math.min(label, 168)) / 2;
		const middle = x + size / 2;
		const bottom = y + size + 7 + 20 * Math.ceil(label / 168) + 24;
		return [middle - half, y, middle + half, bottom];
	}

	/** The height of a note's text, a little more than measured: a line has 19 pixels, a letter at most 6.6. */
	function textHeight({ parameters }: INode): number {
		const width = (parameters.width as number) - 32;
		return (parameters.content as string)
			.split('\n')
			.filter(Boolean)
			.map((line) => {
				const text = line
					.replace(/\]\([^)]*\)/, '')
					.replace(/`([^`]*)`/g, (_all, code: string) => code.padEnd(code.length * 1.3))
					.replace(/^[#\d.]+ |\*\*|\[|\b_|_\b/g, '');
				const [letter, height, indent] = /^## /.test(line)
					? [12, 32, 0]
					: [6.6, /^### /.test(line) ? 24 : 19, /^\d/.test(line) ? 24 : 0];
				return Math.ceil((text.length * letter) / (width - indent)) * height + 8;
			})
			.reduce((sum, height) => sum + height, 12);
	}
});

describe('version 3 of n8n runs the examples', () => {
	/**
	 * What n8n's migration report flags in a workflow (`breaking-changes/rules/v3` in n8n's source, November 2026): why, the pattern
	 * by which it is found, and a text that has it. Its other rules are about the instance, such as binary data in memory.
	 */
	const RULES: [why: string, pattern: RegExp, found: string][] = [
		[
			'Execute Sub-workflow no longer runs once for each item: Loop Over Items does',
			/base\.executeWorkflow .*"mode":"each"/,
			'n8n-nodes-base.executeWorkflow 1 {"mode":"each"}',
		],
		[
			'Execute Sub-workflow loads no workflow from a file or a URL',
			/base\.executeWorkflow .*"source":"(?:localFile|url)"/,
			'n8n-nodes-base.executeWorkflow 1 {"source":"url"}',
		],
		[
			'Expressions with $getPairedItem fail',
			/\$getPairedItem/,
			'{"text":"={{ $getPairedItem(0).json.id }}"}',
		],
		[
			'Always Output Data adds an item only if all outputs are empty',
			/"alwaysOutputData":true/,
			'{"alwaysOutputData":true}',
		],
		[
			'Version 1 of the AI Agent runs as version 2, without its other modes',
			/langchain\.agent 1\b/,
			'@n8n/n8n-nodes-langchain.agent 1.9 {}',
		],
		[
			'An embedded chat receives messages in another form',
			/langchain\.chatTrigger .*"mode":"webhook"/,
			'@n8n/n8n-nodes-langchain.chatTrigger 1 {"mode":"webhook"}',
		],
		[
			'Nodes that were replaced long ago are removed',
			/\.(?:cron|interval|function|functionItem|htmlExtract|itemLists|moveBinaryData|(?:read|write)BinaryFiles?|readPDF|toolHttpRequest|manualChatTrigger) /,
			'n8n-nodes-base.itemLists 1 {}',
		],
		['No workflow may be called by any other', /"callerPolicy":"any"/, '{"callerPolicy":"any"}'],
	];

	test.each(RULES)('%s', (_why, pattern, found) => {
		expect(found).toMatch(pattern);
		for (const [name, { nodes, settings }] of examples) {
			const texts = nodes.map(
				({ type, typeVersion, ...node }) => `${type} ${typeVersion} ${JSON.stringify(node)}`,
			);
			for (const text of [...texts, JSON.stringify(settings ?? {})])
				expect([name, text]).not.toStrictEqual([name, expect.stringMatching(pattern)]);
		}
	});
});
