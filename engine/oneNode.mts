import type { IDataObject, IExecuteFunctions, INode, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { inLine, type WorkflowFile } from './workflows.mts';

/** A node that hands out the items of its parameter, to put in front of a node that is looked at alone. */
export const itemsNode: INodeType = {
	description: {
		displayName: 'Items',
		name: 'engine.items',
		group: ['input'],
		version: 1,
		description: '',
		defaults: { name: 'Items' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'Items', name: 'items', type: 'json', default: '[]' },
			{ displayName: 'File', name: 'file', type: 'string', default: '' },
		],
	},
	async execute(this: IExecuteFunctions) {
		const items = JSON.parse(this.getNodeParameter('items', 0) as string) as IDataObject[];
		const file = this.getNodeParameter('file', 0) as string;
		if (file === '') return [items.map((json) => ({ json }))];
		const data = await this.helpers.prepareBinaryData(Buffer.from(file), 'input.csv', 'text/csv');
		return [items.map((json) => ({ json, binary: { data } }))];
	},
};

/**
 * A workflow of two nodes: the items, then the node.
 *
 * @param file text of a file that every item carries in its binary field "data"
 */
export function oneNode(node: INode, items: IDataObject[] = [{}], file = ''): WorkflowFile {
	const start: INode = {
		id: '0',
		name: 'Items',
		type: itemsNode.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: { items: JSON.stringify(items), file },
	};
	return inLine('One node', start, node);
}
