import { shown } from '../../../api/access/shown';
import type { OperationContext } from '../../../runner/operationContext';
import type { Decision } from './decide';
import { type Outcomes, numberText } from './outcomes';

/** What the run did, or would have done. @param removed undefined if that was not tried */
export function noticeSummary(
	context: OperationContext,
	outcomes: Outcomes,
	dryRun: boolean,
	removed: number | undefined,
): void {
	const left = removed === undefined ? '' : `, ${numberText(removed)} removed from the segment`;
	const text = `${outcomes.summary()}${left}`;
	context.notify(
		dryRun
			? shown`Dry run: nothing was changed. A real run would result in: ${text}`
			: shown`Sync: ${text}`,
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
