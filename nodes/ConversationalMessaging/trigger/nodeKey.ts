import type { N8nFunctions } from '../api/client';

/** Identifies a node, by its workflow and n8n's ID of it, whatever its name. */
export function nodeKeyOf(n8n: N8nFunctions): string {
	const { id, name } = n8n.getNode();
	return `${n8n.getWorkflow().id ?? ''} ${id || name}`;
}
