import type { IDataObject } from 'n8n-workflow';
import { ItemResults, type Output } from '../../nodes/ConversationalMessaging/runner/output.ts';

/** The JSON of each output item of a run. */
export const jsonOf = (results: Output[] | ItemResults): IDataObject[] =>
	(results instanceof ItemResults ? results.outputs() : results).map(({ json }) => json);
