import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import type { RequestInfo } from '../../nodes/ConversationalMessaging/api/failures.ts';
import type { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { BatchRun } from '../../nodes/ConversationalMessaging/runner/batchRun.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { Results } from '../../nodes/ConversationalMessaging/runner/results.ts';
import { NODE } from './node.mts';

/** The context of an operation for one item, whose failure is that of the run. */
export const contextOf = (client: ServiceClient, requestInfo: RequestInfo): OperationContext =>
	new OperationContext(client, requestInfo, (_position, error) => {
		throw error;
	});

/** Runs an operation for one item, before it waits. Returns the JSON of its output items. */
export async function runOne(
	operation: Operation,
	client: ServiceClient,
	parameters: Parameters,
): Promise<IDataObject[]> {
	const results = new Results({
		getNode: () => NODE,
		continueOnFail: () => false,
		getInputData: () => [{ json: {} }],
	} as unknown as IExecuteFunctions);
	await new BatchRun([prepare(operation, parameters, client)], client, results).send();
	results.throwIfFailed(false);
	return results.all().map(({ json }) => json);
}
