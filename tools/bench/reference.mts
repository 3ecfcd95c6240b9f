import { fileURLToPath } from 'node:url';
import type { INode, INodeParameters, IVersionedNodeType } from 'n8n-workflow';
import { actionNode, CREDENTIAL, type WorkflowFile } from '../engine/workflows.mts';
import { Engine } from '../engine/engine.mts';
import { oneNode } from '../engine/oneNode.mts';
import { fromReference } from './fromReference.mts';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

/** n8n's engine with this package, and the n8n nodes that a user would use instead. */
export async function loadEngine(): Promise<Engine> {
	const load = (path: string, name: string): IVersionedNodeType => {
		const module = fromReference(`n8n-nodes-base/dist/nodes/${path}/${name}.node.js`) as {
			[className: string]: new () => IVersionedNodeType;
		};
		return new (module[name] as new () => IVersionedNodeType)();
	};
	return await Engine.load(fileURLToPath(new URL('../..', import.meta.url)), {
		[HTTP_REQUEST]: load('HttpRequest', 'HttpRequest'),
		'n8n-nodes-base.filter': load('Filter', 'Filter'),
		'n8n-nodes-base.splitOut': load('Transform/SplitOut', 'SplitOut'),
		'n8n-nodes-base.removeDuplicates': load('Transform/RemoveDuplicates', 'RemoveDuplicates'),
	});
}

/** This many items, numbered. */
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));

/** This package's node. */
export const packageWorkflow = (
	parameters: INodeParameters,
	items = 1,
	settings: Partial<INode> = {},
): WorkflowFile => oneNode(actionNode('Node', parameters, undefined, settings), numbered(items));

/** n8n's HTTP Request node with this package's credential, as a user would set it up today. */
export function httpRequestNode(parameters: INodeParameters, settings: Partial<INode> = {}): INode {
	const authentication = {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL,
	};
	const node = actionNode('Node', { ...authentication, ...parameters }, HTTP_REQUEST, settings);
	return { ...node, typeVersion: 4.2 };
}

/** A workflow with n8n's HTTP Request node. */
export const httpRequestWorkflow = (
	parameters: INodeParameters,
	items = 1,
	settings: Partial<INode> = {},
): WorkflowFile => oneNode(httpRequestNode(parameters, settings), numbered(items));

/** HTTP Request reading a list to its end with its own pagination. */
export function httpRequestList(url: string, pageSize = 200): WorkflowFile {
	return httpRequestWorkflow({
		url,
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'limit', value: String(pageSize) }] },
		options: {
			pagination: {
				pagination: {
					paginationMode: 'updateAParameterInEachRequest',
					parameters: {
						parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
					},
					paginationCompleteWhen: 'other',
					completeExpression: '={{ $response.body.meta.page >= $response.body.meta.totalPages }}',
				},
			},
		},
	});
}
