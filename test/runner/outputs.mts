import type { IDataObject } from 'n8n-workflow';
import {
	ItemResults,
	jsonOf as jsonOfItem,
	type RunResult,
} from '../../nodes/ConversationalMessaging/runner/output.ts';

/** The JSON of each output item of a run, before it waits. */
export function jsonOf(result: RunResult): IDataObject[] {
	const outputs = result instanceof ItemResults || !('wait' in result) ? result : result.outputs;
	return (outputs instanceof ItemResults ? outputs.outputs() : outputs).map(jsonOfItem);
}
