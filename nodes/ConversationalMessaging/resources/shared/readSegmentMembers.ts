import { textOf } from '../../api/base/text';
import { isCount, recordOf, toCount, valueOf, valuesOf } from '../../api/response/response';
import type { OperationContext, OperationRequest } from '../../runner/operationContext';

const READ = 'GET /segments/{id}';

/** Reads a segment and its members. @param rowLimit the number of members, if there are that many; Infinity for all */
export async function readSegmentMembers(
	context: OperationContext,
	id: string,
	rowLimit: number,
	request: Pick<OperationRequest, 'action' | 'errorHint'> = {},
) {
	const list = { endpoint: READ, action: 'Get segment', path: { id }, ...request } as const;
	const { rows, first, gap } = await context.readList(list, rowLimit);
	const segment = recordOf(first?.json, READ).record;
	const total = first?.meta.total;
	const isDynamic = valueOf(segment, 'isDynamic');
	const shown = valuesOf(segment, ['memberCount', 'contactCount']).map(toCount);
	const counts = [...shown, total].filter(isCount);
	return {
		/** As the first page shows it; {} if that shows none. */
		segment,
		name: textOf(segment.name).trim() || id,
		/** Whether rules define its members; undefined if the service does not show it. */
		isDynamic: typeof isDynamic === 'boolean' ? isDynamic : undefined,
		/** The total of the list of members; undefined if the service returns none. */
		total,
		/** That total, or the count that the segment shows, whichever is larger. The document names only the total. */
		count: counts.length > 0 ? Math.max(...counts) : undefined,
		rows,
		gap,
	};
}
