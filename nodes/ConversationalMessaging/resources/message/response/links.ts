import { type IDataObject, type IExecuteFunctions, WAIT_INDEFINITELY } from 'n8n-workflow';

/**
 * A link that continues this execution at this node while it waits.
 *
 * @param query its parameters. n8n signs them together with the IDs of the execution and the node.
 */
export function resumeLink(n8n: IExecuteFunctions, query: Record<string, string>): string {
	const functions = n8n as IExecuteFunctions & { setSignatureValidationRequired?: () => void };
	// Older versions of n8n check the signature only for nodes that ask for it.
	functions.setSignatureValidationRequired?.();
	return functions.getSignedResumeUrl(query);
}

/**
 * Lets the execution wait after this run, without keeping n8n busy, until its link is called.
 *
 * n8n continues with the input of the node if the time is up before that, so `timedOut` becomes its input.
 *
 * @param until the latest moment, in milliseconds since the epoch; undefined for none
 * @param timedOut the item that continues if the time is up; the webhook reads it too
 */
export async function waitForLink(
	n8n: IExecuteFunctions,
	until: number | undefined,
	timedOut: IDataObject,
): Promise<void> {
	n8n.getExecuteData().data = { main: [[{ json: timedOut }]] };
	await n8n.putExecutionToWait(until === undefined ? WAIT_INDEFINITELY : new Date(until));
}
