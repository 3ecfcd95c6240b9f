import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../api/base/text';
import { agentOf, isEscalated } from '../api/response/chat';
import { idOf, isRecord, statusOf, valueOf } from '../api/response/response';
import { isSameOption } from '../parameters/values';

/** Whether a record shows another value than that of a filter. What it does not show is no contradiction. */
export function contradicts(record: IDataObject, filters: IDataObject): boolean {
	return Object.entries(filters).some(([name, value]) => {
		const shown = name === 'status' ? statusOf(record) : shownFor(name, record);
		return shown !== undefined && !isSameOption(textOf(shown), textOf(value));
	});
}

/** Whether a record does not show its value of one of the filters. */
export const hides = (record: IDataObject, filters: IDataObject): boolean =>
	Object.keys(filters).some((name) => shownFor(name, record) === undefined);

/**
 * What a record has for a filter such as `channelId`: in a field of this name, or in a record inside it, `channel`. null if it
 * has none, undefined if it does not show it: a text in `channel` may be a name.
 */
function shownFor(name: string, record: IDataObject): unknown {
	if (name === 'needsEscalation') return isEscalated(record);
	const direct = name === 'assigneeId' ? agentOf(record) : valueOf(record, name);
	if (direct !== undefined) return isRecord(direct) ? idOf(direct) : direct;
	const inside = record[name.replace(/Id$/, '')];
	return isRecord(inside) ? idOf(inside) : inside === null ? null : undefined;
}
