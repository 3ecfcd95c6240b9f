import { isEmpty } from '../service.mts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { LISTS, PAGED_LISTS } from '../lists.mts';
import { Endpoints, whyNot } from '../observe.mts';
import { say, type Shown } from '../shown.mts';

export const listCounts = assumption({
	id: 'list-counts',
	question: 'Do the nodes find the total and the page size of each list with pages?',
	settles: [],
	otherwise:
		'Without a total, the nodes read page after page until one has no new rows, and cannot notice that rows are missing. Of such a list with several pages, the trigger reads the first page and one other per poll.',
	async observe(service) {
		return await Promise.all(
			PAGED_LISTS.map(async (name) => ({ name, list: await service.largePage(name) })),
		);
	},
	judge(lists, { names }) {
		const seen: Shown[] = [];
		let complete = 0;
		let read = 0;
		for (const { name, list } of lists) {
			const route = Endpoints.shown(LISTS[name].endpoint);
			if (!list.path) {
				seen.push(whyNot(list.reading));
				continue;
			}
			if (isEmpty(list.reading)) {
				seen.push(say`${route}: no data`);
				continue;
			}
			read++;
			const { total, limit, totalPages } = list.meta;
			const stated = Object.entries({ total, limit, totalPages })
				.filter(([, count]) => count !== undefined)
				.map(([key]) => names.key(key));
			if (total !== undefined && (limit !== undefined || totalPages !== undefined)) complete++;
			const json = list.reading.response?.json;
			const all = isRecord(json) && isRecord(json.meta) ? Object.keys(json.meta) : [];
			seen.push(
				stated.length === 0
					? say`${route}: none that the nodes read`
					: all.length > 0
						? say`${route}: meta with ${names.keys(all)}`
						: say`${route}: ${names.keys(stated.map(({ text }) => text))}, not in meta`,
			);
		}
		if (read === 0) return cannotTell(...seen);
		return complete === read ? holds(...seen) : fails(...seen);
	},
});
