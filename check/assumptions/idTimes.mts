import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { idTime } from '../idTimes.mts';
import { LIST_NAMES, type ListName } from '../lists.mts';
import { timeOf, timePaths, typesAt, valueAt } from '../observe.mts';
import type { ListReading } from '../service.mts';
import { literal, say, type Shown } from '../shown.mts';

/** As the nodes look for an ID. */
const ID_KEYS = ['id', '_id', 'hsm_id'];

/** The time in an ID may be this far from the time of creation, in milliseconds. */
const TOLERANCE_MS = 60_000;

export const idTimes = assumption<{ name: ListName; list: ListReading }[]>({
	id: 'id-times',
	question: 'Do IDs contain the time at which their record was created?',
	settles: [],
	otherwise: 'The nodes compare IDs for equality only, and read no time from them.',
	async observe(service) {
		const lists = [];
		for (const name of LIST_NAMES) lists.push({ name, list: await service.largePage(name) });
		return lists;
	},
	judge(lists) {
		const judged = lists
			.filter(({ list }) => list.rows.length > 0)
			.map(({ name, list }) => ({ ...timesIn(list.rows, list.reading.at), name }));
		const seen = judged.map(({ name, shown }) => say`${literal(name)}: ${shown}`);
		if (seen.length === 0) return cannotTell(say`no records were read`);
		const decided = judged.filter(({ is }) => is !== undefined);
		if (decided.length === 0) return cannotTell(...seen);
		return decided.every(({ is }) => is) ? holds(...seen) : fails(...seen);
	},
});

/** @returns `is`: whether the IDs contain times; undefined if that is not shown */
function timesIn(all: readonly IDataObject[], now: number): { is?: boolean; shown: Shown } {
	const rows = all.filter((row) => idOf(row) !== undefined);
	if (rows.length === 0) return { shown: say`no IDs` };
	const ids = rows.map((row) => idOf(row) ?? '');
	const type = typesAt(rows.slice(0, 50), [
		ID_KEYS.find((key) => rows[0]?.[key] !== undefined) ?? 'id',
	]);
	const found = ids.map((id) => idTime(id, now));
	const [first] = found;
	const without = found.filter((time) => time === undefined).length;
	if (!first || without > 0)
		return {
			is: false,
			shown:
				without === rows.length
					? say`${type}, no times`
					: say`${type}, no times in ${without} of ${rows.length}`,
		};
	const { created } = timePaths(rows, now);
	const [path] = created;
	if (path) {
		const close = rows.filter((row, index) => {
			const time = timeOf(valueAt(row, path), now)?.ms;
			return time !== undefined && Math.abs(time - (found[index]?.ms ?? 0)) <= TOLERANCE_MS;
		}).length;
		// Imported records are older than their IDs.
		if (close >= rows.length / 2)
			return {
				is: true,
				shown: say`${literal(first.form)}, ${close} of ${rows.length} agree with the time of creation`,
			};
		return {
			is: false,
			shown: say`${type}; the time in them is not that of creation (${close} of ${rows.length} agree)`,
		};
	}
	const different = new Set(found.map((time) => time?.ms)).size;
	return {
		shown: say`${literal(first.form)}, ${different} different times; no time of creation to compare with`,
	};
}
