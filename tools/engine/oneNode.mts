import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { linearWorkflow, type WorkflowFile } from './workflows.mts';

/** A file inside a parameter. */
interface FileParameter {
	base64: string;
	fileName: string;
	mimeType: string;
}

/** A node that returns the items in its parameter, to run before a node that is tested alone. */
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
		const { base64, fileName, mimeType } = JSON.parse(file) as FileParameter;
		const bytes = Buffer.from(base64, 'base64');
		const stored = await this.helpers.prepareBinaryData(bytes, 'input.csv', 'text/csv');
		// Unchanged: n8n would turn the name into a path.
		const data = { ...stored, fileName, mimeType };
		return [items.map((json) => ({ json, binary: { data } }))];
	},
};

/** A file for every item, in its binary field "data". */
export interface InputFile {
	bytes: Buffer;
	/** "input.csv" if missing. */
	fileName?: string;
	/** "text/csv" if missing. */
	mimeType?: string;
}

/**
 * A workflow of two nodes: the items, then the node.
 *
 * @param file for every item, or only its text
 */
export function oneNode(
	node: INode,
	items: IDataObject[] = [{}],
	file?: InputFile | string,
): WorkflowFile {
	const start: INode = {
		id: '0',
		name: 'Items',
		type: itemsNode.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: { items: JSON.stringify(items), file: fileParameter(file) },
	};
	return linearWorkflow('One node', start, node);
}

function fileParameter(file: InputFile | string = ''): string {
	if (file === '') return '';
	const { bytes, ...named } = typeof file === 'string' ? { bytes: Buffer.from(file) } : file;
	const base64 = bytes.toString('base64');
	const parameter: FileParameter = {
		fileName: 'input.csv',
		mimeType: 'text/csv',
		...named,
		base64,
	};
	return JSON.stringify(parameter);
}
