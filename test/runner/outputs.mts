import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { ServiceClient } from '../../nodes/ConversationalMessaging/api/client.ts';
import type { Parameters } from '../../nodes/ConversationalMessaging/parameters/parameters.ts';
import type { Operation } from '../../nodes/ConversationalMessaging/runner/operation.ts';
import { OperationContext } from '../../nodes/ConversationalMessaging/runner/operationContext.ts';
import { prepare } from '../../nodes/ConversationalMessaging/runner/prepare.ts';
import { Results } from '../../nodes/ConversationalMessaging/runner/results.ts';
import { RunItems } from '../../nodes/ConversationalMessaging/runner/runItems.ts';
import { NODE } from '../api/node.mts';

/** Runs an operation for one item, before it waits. Returns the JSON of its output items. */
export async function runOne(
	operation: Operation,
	client: ServiceClient,
	parameters: Parameters,
): Promise<IDataObject[]> {
	const { steps, plan, fieldNames } = prepare(operation, parameters);
	const result = await steps.run(new OperationContext(client, operation), plan, []);
	const results = new Results({
		getNode: () => NODE,
		continueOnFail: () => true,
	} as unknown as IExecuteFunctions);
	const items = new RunItems([0], client, results, fieldNames);
	items.settle('outputs' in result ? result.outputs : result);
	return results.all().map(({ json }) => json);
}
