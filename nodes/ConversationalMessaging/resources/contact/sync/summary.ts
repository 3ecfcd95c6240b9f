import { shown } from '../../../api/access/shown';
import type { OperationContext } from '../../../runner/operationContext';
import type { Decision } from './decide';
import { type Outcomes, numberText } from './outcomes';

/** What the run did, or would have done. @param invalid how many items could not be used @param removed undefined if that was not tried */
export function noticeSummary(
	context: OperationContext,
	outcomes: Outcomes,
	dryRun: boolean,
	invalid: number,
	removed: number | undefined,
): void {
	const left = removed === undefined ? '' : `, ${numberText(removed)} removed from the segment`;
	const unusable = invalid === 0 ? '' : `, ${numberText(invalid)} invalid`;
	const text = `${outcomes.summary()}${unusable}${left}`;
	const isStopped = invalid > 0 && !context.n8n.continueOnFail();
	const realRun = isStopped
		? 'A real run would stop at the invalid items and change nothing. Correct them, or set On Error to Continue in Settings. The run would then result in'
		: 'A real run would result in';
	context.notify(
		dryRun ? shown`Dry run: nothing was changed. ${realRun}: ${text}` : shown`Sync: ${text}`,
	);
}

/** From this number of new contacts on, an import is the better way. */
const MANY_NEW = 500;

/** Creating contacts takes a request each, and more for their custom fields. */
export function noticeManyNew(context: OperationContext, decisions: Decision[]): void {
	const count = decisions.filter(({ action }) => action?.kind === 'create').length;
	if (count <= MANY_NEW) return;
	context.notify(
		shown`${numberText(count)} contacts are new, and Sync creates them one by one. Before the next sync with this many, create them with Contact Import → Start.`,
	);
}
