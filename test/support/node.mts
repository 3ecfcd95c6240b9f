import type { INode } from 'n8n-workflow';

/** The node of a context that knows nothing else. */
export const NODE: INode = {
	id: '1',
	name: 'Node',
	type: 'test',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
