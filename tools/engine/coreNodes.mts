import { isDeepStrictEqual } from 'node:util';
import {
	type IDataObject,
	type IExecuteFunctions,
	type IExecuteWorkflowInfo,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

/**
 * Replacements for the few n8n nodes that the example workflows use, under the original names, so that the examples
 * run without the 1 GB of n8n. They contain as little as possible: n8n's engine evaluates the conditions, loops and waits.
 */
const CONDITIONS: INodeProperties = {
	displayName: 'Conditions',
	name: 'conditions',
	type: 'filter',
	default: {},
	typeOptions: { filter: { caseSensitive: true, typeValidation: 'strict', version: 2 } },
};

function coreNode(
	name: string,
	settings: Partial<INodeTypeDescription>,
	execute: (this: IExecuteFunctions) => INodeExecutionData[][],
): INodeType {
	return {
		description: {
			displayName: name,
			name: `n8n-nodes-base.${name}`,
			group: ['transform'],
			version: [1, 1.1, 1.2, 2, 2.1, 2.2, 3, 3.2, 3.4],
			description: '',
			defaults: { name },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
			...settings,
		},
		async execute(this: IExecuteFunctions) {
			return execute.call(this);
		},
	};
}

function split(context: IExecuteFunctions): {
	kept: INodeExecutionData[];
	rest: INodeExecutionData[];
} {
	const kept: INodeExecutionData[] = [];
	const rest: INodeExecutionData[] = [];
	context.getInputData().forEach((item, index) => {
		const pass = context.getNodeParameter('conditions', index, false, {
			extractValue: true,
		}) as unknown as boolean;
		(pass ? kept : rest).push({ ...item, pairedItem: { item: index } });
	});
	return { kept, rest };
}

const SET_FIELDS: INodeProperties[] = [
	{ displayName: 'Mode', name: 'mode', type: 'string', default: 'manual' },
	{ displayName: 'JSON', name: 'jsonOutput', type: 'json', default: '{}' },
	{
		displayName: 'Fields to Set',
		name: 'assignments',
		type: 'assignmentCollection',
		default: { assignments: [] },
	},
	{
		displayName: 'Include Other Input Fields',
		name: 'includeOtherFields',
		type: 'boolean',
		default: false,
	},
];

const text = (name: string): INodeProperties => ({
	...{ displayName: name, name, type: 'string', default: '' },
});

const FILE_OPTIONS: INodeProperties = {
	...{ displayName: 'Options', name: 'options', type: 'collection', default: {} },
	options: [text('fileName')],
};

const FIELDS_TO_MATCH: INodeProperties = {
	...{
		displayName: 'Fields to Match',
		name: 'mergeByFields',
		type: 'fixedCollection',
		default: {},
	},
	typeOptions: { multipleValues: true },
	options: [{ displayName: 'Values', name: 'values', values: [text('field1'), text('field2')] }],
};

const ROW_CONDITIONS: INodeProperties = {
	...{ displayName: 'Conditions', name: 'filters', type: 'fixedCollection', default: {} },
	typeOptions: { multipleValues: true },
	options: [
		{
			displayName: 'Conditions',
			name: 'conditions',
			values: ['keyName', 'condition', 'keyValue'].map(text),
		},
	],
};

const TABLE: INodeProperties = {
	...{ displayName: 'Data Table', name: 'dataTableId', type: 'resourceLocator' },
	default: { mode: 'name', value: '' },
	modes: [{ displayName: 'By Name', name: 'name', type: 'string' }],
};

interface RowCondition {
	keyName: string;
	keyValue: string;
}

/** n8n's data tables in memory, as its engine asks for them: each by its name, with the rows that a node searches. */
export const dataTables = (tables: Record<string, IDataObject[]> = {}) => ({
	getDataTableProxy: async (_workflow: unknown, _node: unknown, name: string) => {
		const rows = tables[name];
		if (!rows) throw new Error(`There is no data table ${name}`);
		const getManyRowsAndCount = async ({ filter }: { filter: IDataObject }) => {
			const data = rows.filter((row) => isDeepStrictEqual({ ...row, ...filter }, row));
			return await Promise.resolve({ data, count: data.length });
		};
		return await Promise.resolve({ getManyRowsAndCount });
	},
});

/** What is entered in a Set node, as JSON or field by field. */
function entered(context: IExecuteFunctions, index: number): IDataObject {
	if (context.getNodeParameter('mode', index) === 'raw')
		return JSON.parse(context.getNodeParameter('jsonOutput', index) as string) as IDataObject;
	const assigned = context.getNodeParameter('assignments.assignments', index) as {
		name: string;
		value: IDataObject[string];
	}[];
	return Object.fromEntries(assigned.map(({ name, value }) => [name, value]));
}

const DAY_MS = 86_400_000;

/** What a loop keeps between its rounds. */
interface Loop {
	/** Of the batch, from 0. */
	currentRunIndex?: number;
	rest?: INodeExecutionData[];
}

const start = (name: string) => coreNode(name, { inputs: [] }, () => [[{ json: {} }]]);

export const coreNodes: INodeType[] = [
	start('manualTrigger'),
	start('scheduleTrigger'),
	coreNode('set', { properties: SET_FIELDS }, function () {
		return [
			this.getInputData().map(({ json }, index) => ({
				json: {
					...(this.getNodeParameter('includeOtherFields', index) === true && json),
					...entered(this, index),
				},
				pairedItem: { item: index },
			})),
		];
	}),
	coreNode(
		'splitOut',
		{
			properties: [text('fieldToSplitOut')],
		},
		function () {
			const field = this.getNodeParameter('fieldToSplitOut', 0) as string;
			return [
				this.getInputData().flatMap((item, index) =>
					(item.json[field] as IDataObject[]).map((entry) => ({
						json: typeof entry === 'object' ? entry : { [field]: entry },
						pairedItem: { item: index },
					})),
				),
			];
		},
	),
	{
		...coreNode(
			'convertToFile',
			{ properties: [FILE_OPTIONS, text('operation'), text('sourceProperty')] },
			() => [],
		),
		// All items to one JSON file, or a text of the first item to a file.
		async execute(this: IExecuteFunctions) {
			const { fileName } = this.getNodeParameter('options', 0) as { fileName?: string };
			const items = this.getInputData().map((item) => item.json);
			const field = this.getNodeParameter('sourceProperty', 0) as string;
			const isText = this.getNodeParameter('operation', 0) === 'toText';
			const content = isText ? (items[0]?.[field] as string) : JSON.stringify(items);
			const data = await this.helpers.prepareBinaryData(Buffer.from(content), fileName);
			return [[{ json: {}, binary: { data } }]];
		},
	},
	{
		...coreNode(
			'extractFromFile',
			{ properties: [text('binaryPropertyName'), text('destinationKey')] },
			() => [],
		),
		async execute(this: IExecuteFunctions) {
			const field = this.getNodeParameter('binaryPropertyName', 0);
			const key = this.getNodeParameter('destinationKey', 0) as string;
			const file = await this.helpers.getBinaryDataBuffer(0, field);
			const json = { [key]: JSON.parse(file.toString()) as IDataObject };
			return [[{ json, pairedItem: { item: 0 } }]];
		},
	},
	// Pairs items by a field. In A only, the same, different, in B only.
	coreNode(
		'compareDatasets',
		{
			inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
			outputs: Array.from({ length: 4 }, () => NodeConnectionTypes.Main),
			properties: [FIELDS_TO_MATCH],
		},
		function () {
			const [a, b] = [this.getInputData(0), this.getInputData(1)];
			const field = this.getNodeParameter('mergeByFields.values[0].field1', 0) as string;
			const ofB = new Map(b.map((item) => [item.json[field], item]));
			const ofA = new Set(a.map(({ json }) => json[field]));
			const pairs = a.map((item) => ({ item, other: ofB.get(item.json[field]) }));
			const isSame = ({ item, other }: (typeof pairs)[number]) =>
				isDeepStrictEqual(item.json, other?.json);
			const both = pairs.filter(({ other }) => other);
			return [
				pairs.filter(({ other }) => !other).map(({ item }) => item),
				both.filter(isSame).map(({ item }) => item),
				both.filter((pair) => !isSame(pair)).map(({ item }) => item),
				b.filter(({ json }) => !ofA.has(json[field])),
			];
		},
	),
	{
		...coreNode('dataTable', { properties: [text('operation'), TABLE, ROW_CONDITIONS] }, () => []),
		// The rows that match all conditions, or the items for which no row does.
		async execute(this: IExecuteFunctions) {
			const name = this.getNodeParameter('dataTableId', 0, '', { extractValue: true }) as string;
			const isAbsent = this.getNodeParameter('operation', 0) === 'rowNotExists';
			const table = await this.helpers.getDataTableProxy?.(name);
			const output: INodeExecutionData[] = [];
			for (const [index, { json }] of this.getInputData().entries()) {
				const conditions = this.getNodeParameter('filters.conditions', index) as RowCondition[];
				const filter = Object.fromEntries(conditions.map((each) => [each.keyName, each.keyValue]));
				const found = (await table?.getManyRowsAndCount({ filter } as never))?.data ?? [];
				const kept = isAbsent ? (found.length > 0 ? [] : [json]) : found;
				for (const row of kept) output.push({ json: row, pairedItem: { item: index } });
			}
			return [output];
		},
	},
	coreNode('filter', { properties: [CONDITIONS] }, function () {
		return [split(this).kept];
	}),
	coreNode(
		'if',
		{ properties: [CONDITIONS], outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] },
		function () {
			const { kept, rest } = split(this);
			return [kept, rest];
		},
	),
	coreNode(
		'merge',
		{
			inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
			properties: [
				{ displayName: 'Number of Inputs', name: 'numberInputs', type: 'number', default: 2 },
			],
		},
		function () {
			const count = this.getNodeParameter('numberInputs', 0) as number;
			return [
				Array.from({ length: count }, (_, input) => input).flatMap((input) =>
					this.getInputData(input).map((item, index) => ({
						...item,
						pairedItem: { item: index, input },
					})),
				),
			];
		},
	),
	// Each expression of a template is replaced as n8n does: "$&" in its result would have a meaning.
	coreNode('html', { properties: [{ ...text('html'), noDataExpression: true }] }, function () {
		return [
			this.getInputData().map((_item, index) => {
				let html = this.getNodeParameter('html', index) as string;
				for (const expression of html.match(/\{\{[^]*?\}\}/g) ?? [])
					html = html.replace(expression, this.evaluateExpression(expression, index) as string);
				return { json: { html }, pairedItem: { item: index } };
			}),
		];
	}),
	{
		...coreNode('wait', {}, () => []),
		// Any time is long enough for n8n to put the execution aside.
		async execute(this: IExecuteFunctions) {
			await this.putExecutionToWait(new Date(Date.now() + DAY_MS));
			return [this.getInputData()];
		},
	},
	// First what has been done, then what the loop does.
	coreNode(
		'splitInBatches',
		{
			properties: [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
			outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		},
		function () {
			const loop = this.getContext('node') as Loop;
			loop.rest ??= this.getInputData().map((item, index) => ({
				...item,
				pairedItem: { item: index },
			}));
			loop.currentRunIndex = (loop.currentRunIndex ?? -1) + 1;
			const next = loop.rest.splice(0, this.getNodeParameter('batchSize', 0) as number);
			return next.length > 0 ? [[], next] : [this.getInputData(), []];
		},
	),
	...['executeWorkflowTrigger', 'formTrigger'].map((name) =>
		coreNode(name, { inputs: [] }, function () {
			return [this.getInputData()];
		}),
	),
	{
		...coreNode('executeWorkflow', {}, () => []),
		// Another execution of the same workflow, for which this one does not wait.
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData();
			const { id } = this.getWorkflow();
			const workflow: IExecuteWorkflowInfo = { id };
			await this.executeWorkflow(workflow, items, undefined, { doNotWaitToFinish: true });
			return [items];
		},
	},
];
