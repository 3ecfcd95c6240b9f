import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

/**
 * Replacements for the few n8n nodes that the example workflows use, under the original names, so that the examples
 * run without the 1 GB of n8n. They contain no logic: n8n's engine evaluates the conditions.
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
			version: [1, 1.1, 1.2, 2, 2.1, 2.2, 3.4],
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

const start = (name: string) => coreNode(name, { inputs: [] }, () => [[{ json: {} }]]);

export const coreNodes: INodeType[] = [
	start('manualTrigger'),
	start('scheduleTrigger'),
	coreNode(
		'set',
		{ properties: [{ displayName: 'JSON', name: 'jsonOutput', type: 'json', default: '{}' }] },
		function () {
			return [
				this.getInputData().map((_item, index) => ({
					json: JSON.parse(this.getNodeParameter('jsonOutput', index) as string) as IDataObject,
					pairedItem: { item: index },
				})),
			];
		},
	),
	coreNode(
		'splitOut',
		{
			properties: [{ displayName: 'Field', name: 'fieldToSplitOut', type: 'string', default: '' }],
		},
		function () {
			const field = this.getNodeParameter('fieldToSplitOut', 0) as string;
			return [
				this.getInputData().flatMap((item, index) =>
					(item.json[field] as IDataObject[]).map((json) => ({
						json,
						pairedItem: { item: index },
					})),
				),
			];
		},
	),
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
];
