import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { LIST_NAMES, LISTS, type ListName } from '../lists.mts';
import { Endpoints } from '../observe.mts';
import { idsOf, type ListReading } from '../service.mts';
import { count, say } from '../shown.mts';

export const recordIds = assumption<{ name: ListName; list: ListReading }[]>({
	id: 'record-ids',
	question: 'Does every record of the lists show its ID where the nodes read it?',
	settles: [],
	otherwise:
		'Get Many returns the records unchanged. From List in the editor does not show them, and the trigger does not see them.',
	async observe(service) {
		const lists = [];
		for (const name of LIST_NAMES) lists.push({ name, list: await service.largePage(name) });
		return lists;
	},
	judge(lists, { names }) {
		const read = lists.filter(({ list }) => list.rows.length > 0);
		if (read.length === 0) return cannotTell(say`no records were read`);
		const lacking = read
			.map(({ name, list: { rows } }) => ({ name, rows, ids: idsOf(rows).length }))
			.filter(({ rows, ids }) => ids < rows.length);
		if (lacking.length === 0) return holds(say`in ${count(read.length, 'list')}`);
		return failsAt(
			lacking.map(({ name }) => LISTS[name].endpoint),
			...lacking.map(({ name, rows, ids }) => {
				const like = Object.keys(rows[0] ?? {}).filter((key) => /id$|^key$/i.test(key));
				const keys = like.length > 0 ? say`; possible keys: ${names.keys(like)}` : say``;
				return say`${Endpoints.shown(LISTS[name].endpoint)}: ${rows.length - ids} of ${rows.length} without${keys}`;
			}),
		);
	},
});
