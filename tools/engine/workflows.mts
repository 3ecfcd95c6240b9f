import {
	type IConnections,
	type INode,
	type INodeParameters,
	type IWorkflowBase,
	NodeConnectionTypes,
} from 'n8n-workflow';

export const PACKAGE_NAME = 'n8n-nodes-conversational-messaging';
export const ACTION_NODE = `${PACKAGE_NAME}.conversationalMessaging`;
export const TRIGGER_NODE = `${PACKAGE_NAME}.conversationalMessagingTrigger`;
/** A note on n8n's canvas. It is a node in the file, and nothing that runs. */
export const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
export const CREDENTIAL = 'conversationalMessagingApi';

/** A workflow as n8n exports it. */
export interface WorkflowFile {
	id?: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowBase['settings'];
}

/** A node of this package with its parameters and the credential. */
export function actionNode(
	name: string,
	parameters: INodeParameters,
	type = ACTION_NODE,
	settings: Partial<INode> = {},
): INode {
	return {
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { [CREDENTIAL]: { id: '1', name: 'Conversational Messaging account' } },
		...settings,
	};
}

/** A workflow of nodes that follow each other. */
export function linearWorkflow(name: string, ...nodes: INode[]): WorkflowFile {
	const connections: WorkflowFile['connections'] = {};
	for (const [i, node] of nodes.slice(1).entries()) {
		const before = nodes[i] as INode;
		connections[before.name] = {
			main: [[{ node: node.name, type: NodeConnectionTypes.Main, index: 0 }]],
		};
	}
	return { name, nodes, connections };
}

/** A node of n8n's own. */
export function builtIn(
	name: string,
	type: string,
	parameters: INodeParameters,
	typeVersion: number,
): INode {
	const settings = { credentials: undefined, typeVersion };
	return actionNode(name, parameters, `n8n-nodes-base.${type}`, settings);
}

/** A workflow of the trigger alone, which polls every minute. */
export function triggerWorkflow(parameters: INodeParameters, id?: string): WorkflowFile {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const trigger = actionNode('Trigger', { pollTimes, ...parameters }, TRIGGER_NODE);
	return { id, ...linearWorkflow('Watch', trigger) };
}

/** A record in a field after its ID was entered. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });
