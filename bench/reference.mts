import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { INode, INodeParameters, IVersionedNodeType } from 'n8n-workflow';
import { actionNode, CREDENTIAL, Engine, type WorkflowFile } from '../engine/engine.mts';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

/** n8n's engine with this package, and beside it n8n's own HTTP Request node. */
export async function loadEngine(): Promise<Engine> {
	const require = createRequire(new URL('reference/package.json', import.meta.url));
	const path = 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js';
	const { HttpRequest } = require(path) as { HttpRequest: new () => IVersionedNodeType };
	return await Engine.load(fileURLToPath(new URL('..', import.meta.url)), {
		[HTTP_REQUEST]: new HttpRequest(),
		'bench.items': itemsNode,
	});
}

/** Hands out as many items as its parameter says, numbered. */
const itemsNode = {
	description: {
		displayName: 'Items',
		name: 'bench.items',
		group: ['input' as const],
		version: 1,
		description: '',
		defaults: { name: 'Items' },
		inputs: [],
		outputs: ['main' as const],
		properties: [{ displayName: 'Count', name: 'count', type: 'number' as const, default: 1 }],
	},
	async execute(this: { getNodeParameter: (name: string, index: number) => unknown }) {
		const count = Number(this.getNodeParameter('count', 0));
		return [Array.from({ length: count }, (_, index) => ({ json: { index } }))];
	},
};

/** A workflow of two nodes: so many items, then the node that is measured. */
function workflow(items: number, node: INode): WorkflowFile {
	const start: INode = {
		id: '0',
		name: 'Items',
		type: 'bench.items',
		typeVersion: 1,
		position: [0, 0],
		parameters: { count: items },
	};
	const connections = { Items: { main: [[{ node: 'Node', type: 'main' as const, index: 0 }]] } };
	return { name: 'Bench', nodes: [start, node], connections };
}

/** This package's node. */
export const ours = (
	parameters: INodeParameters,
	items = 1,
	settings: Partial<INode> = {},
): WorkflowFile => workflow(items, actionNode('Node', parameters, undefined, settings));

/** n8n's HTTP Request node, signed with this package's credential, as a user would set it up today. */
export function theirs(
	parameters: INodeParameters,
	items = 1,
	settings: Partial<INode> = {},
): WorkflowFile {
	const authentication = {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
	};
	const node = actionNode('Node', { ...authentication, ...parameters }, HTTP_REQUEST, settings);
	return workflow(items, { ...node, typeVersion: 4.2 });
}
