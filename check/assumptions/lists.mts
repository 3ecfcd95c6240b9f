/** What all lists have in common. */
import {
	allOf,
	anyOf,
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	unread,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { keys, path } from '../names.mts';
import { operationsOf } from '../operations.mts';
import {
	idsOf,
	isEmpty,
	isOk,
	isUnclear,
	isUnreadable,
	LIST_NAMES,
	routeOf,
	whyNot,
	type ListName,
	type ListReading,
	type Service,
} from '../service.mts';
import { count, say } from '../shown.mts';

/** Judges each of these lists by its first page. */
async function eachList(
	service: Service,
	names: readonly ListName[],
	judge: (list: ListReading, name: ListName) => Judgement | Promise<Judgement>,
): Promise<Judgement> {
	const parts: Judgement[] = [];
	let isFailing = false;
	for (const name of names) {
		const list = await service.list(name);
		// Without a permission, a list is not used; another failure may be that of a list that is.
		isFailing ||= !isOk(list.reading) && ![403, 404].includes(list.reading.response?.status ?? 0);
		parts.push(await judge(list, name));
	}
	return isFailing ? allOf(parts) : anyOf(parts);
}

export const lists: Assumption = {
	id: 'lists',
	question: 'Do the nodes find the rows of every list, and their IDs?',
	otherwise:
		'An operation that does not find the rows stops with a message. Records without an ID are not in From List, and the trigger does not see them.',
	check: async (service) => await eachList(service, LIST_NAMES, judgeList),
};

function judgeList({ reading, rows, length, path: place, meta }: ListReading, name: ListName) {
	const { endpoint } = reading;
	const route = routeOf(reading);
	if (!isOk(reading)) return unread(reading);
	if (isUnreadable(reading)) return failsAt(endpoint, say`${route}: the response is not JSON`);
	if (!place) return failsAt(endpoint, say`${route}: no rows found`);
	if (isEmpty(reading)) return cannotTell(say`${route}: no data`);
	const where = place.length === 0 ? say`directly in data` : say`under ${path(place)}`;
	const of = meta.total === undefined ? say`` : say` of ${meta.total}`;
	const seen = say`${route}: ${count(length, 'row')}${of}, ${where}`;
	const without = rows.length - idsOf(rows).length;
	if (without === 0) return holds(seen);
	const lacking = say`${route}: ${without} of ${rows.length} without an ID; keys: ${keys(Object.keys(rows[0] ?? {}))}`;
	if (without < rows.length) return fails(lacking);
	const users = operationsOf([endpoint]).filter((user) => !user.endsWith('Get Many'));
	return failsFor([`From List (${name})`, ...users], lacking);
}

/** Rows per page, to compare two pages. */
const SIZE = 5;

export const paging: Assumption = {
	id: 'paging',
	question: 'Does page 2 of each list continue page 1?',
	otherwise: 'Return All and the trigger read the same rows again and miss the others.',
	check: async (service) =>
		await eachList(service, ['tickets', 'chats', 'contacts', 'broadcasts'], async (list, name) => {
			const { endpoint } = list.reading;
			const route = routeOf(list.reading);
			if (list.rows.length === 0) return withoutRows(list) ?? cannotTell();
			if (list.length <= SIZE)
				return cannotTell(say`${route}: ${count(list.length, 'row')}, too few for two pages`);
			const first = await service.list(name, { page: 1, limit: SIZE });
			const second = await service.list(name, { page: 2, limit: SIZE });
			if (isUnclear(second.reading)) return cannotTell(whyNot(second.reading));
			const [all, one, two] = [list, first, second].map(({ rows }) => idsOf(rows)) as [
				string[],
				string[],
				string[],
			];
			// Where the limit has no effect, page 1 may have all rows.
			if (second.length === 0)
				return first.length < list.length
					? failsAt(endpoint, say`${route}: page 2 is empty, although there are more rows`)
					: cannotTell(say`${route}: page 2 is empty`);
			if (two.length === 0) return cannotTell(say`${route}: the rows have no IDs`);
			if (two.every((id) => one.includes(id)))
				return failsAt(endpoint, say`${route}: page 2 repeats page 1`);
			// Rows that are further on, but not those that follow: the first page has the number 0.
			const following = all.slice(SIZE, 2 * SIZE);
			const later = new Set(all.slice(2 * SIZE));
			if (!two.some((id) => following.includes(id)) && two.some((id) => later.has(id)))
				return failsAt(endpoint, say`${route}: page 2 does not begin where page 1 ends`);
			return holds(say`${route}: continued`);
		}),
};
