import type { IDataObject } from 'n8n-workflow';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { allPaths, valueAt, whyNot } from '../observe.mts';
import { filtered } from '../observations.mts';
import { idsOf, type ListReading } from '../service.mts';
import { join, say, type Shown } from '../shown.mts';
import type { Names } from '../names.mts';

export const chatEscalation = assumption<{ all: ListReading; filters: ListReading[] }>({
	id: 'chat-escalation',
	question: 'Does the filter needsEscalation separate escalated chats from the others?',
	settles: [],
	otherwise:
		'The trigger knows escalated chats by this filter only, and reports wrong changes. Get Many with this filter returns other chats too.',
	observe: async (service) => ({
		all: await service.largePage('chats'),
		filters: await filtered(service, 'chats', [
			{ needsEscalation: 'true' },
			{ needsEscalation: 'false' },
		]),
	}),
	judge({ all, filters }, { names }) {
		const [yes, no] = filters as [ListReading, ListReading];
		if (!all.path) return cannotTell(whyNot(all.reading));
		for (const list of [yes, no]) {
			const status = list.reading.response?.status ?? 0;
			if (!list.path && [400, 422].includes(status))
				return failsAt(['GET /chats'], say`the filter is rejected with ${status}`);
			if (!list.path) return cannotTell(whyNot(list.reading));
		}
		if (all.rows.length === 0) return cannotTell(say`there are no chats`);
		if (idsOf(all.rows).length === 0) return cannotTell(say`the chats have no IDs`);
		const escalated = new Set(idsOf(yes.rows));
		const inBoth = idsOf(no.rows).filter((id) => escalated.has(id)).length;
		const keys = shownBy(yes.rows, no.rows, names);
		if (inBoth > 0)
			return failsAt(
				['GET /chats'],
				say`needsEscalation=true and needsEscalation=false both return ${inBoth} of the chats`,
			);
		if (yes.rows.length === 0 || no.rows.length === 0) {
			// Everything under one value: that the filter works is not shown.
			return cannotTell(
				yes.rows.length === 0
					? say`needsEscalation=true returns no chat`
					: say`needsEscalation=false returns no chat`,
			);
		}
		return holds(
			say`${yes.meta.total ?? yes.length} escalated, ${no.meta.total ?? no.length} not`,
			...keys,
		);
	},
});

/** The keys whose values differ between all escalated chats and all others. */
function shownBy(yes: readonly IDataObject[], no: readonly IDataObject[], names: Names): Shown[] {
	if (yes.length < 2 || no.length < 2) return [];
	const value = (row: IDataObject, path: string[]) => JSON.stringify(valueAt(row, path) ?? null);
	const paths = allPaths([...yes, ...no], 3).filter((path) => {
		const inYes = new Set(yes.map((row) => value(row, path)));
		const inNo = new Set(no.map((row) => value(row, path)));
		const isState = inYes.size <= 2 && inNo.size <= 4 && inYes.size < yes.length;
		return isState && ![...inYes].some((entry) => inNo.has(entry));
	});
	return paths.length > 0
		? [say`a chat shows it in ${join(paths.map((path) => names.path(path)))}`]
		: [say`no key of a chat shows it`];
}
