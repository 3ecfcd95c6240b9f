import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { LISTS, PAGED_LISTS, type ListName } from '../lists.mts';
import { Endpoints, whyNot } from '../observe.mts';
import { idsOf, type ListReading } from '../service.mts';
import { count, say, type Shown } from '../shown.mts';

/** Rows per page. */
const SIZE = 5;

interface Pages {
	name: ListName;
	first: ListReading;
	second?: ListReading;
}

export const paging = assumption<Pages[]>({
	id: 'paging',
	question: 'Does page 2 of each list continue page 1?',
	settles: [],
	otherwise: 'Return All and the trigger read the same rows again and miss the others.',
	async observe(service) {
		const pages: Pages[] = [];
		for (const name of PAGED_LISTS) {
			const { endpoint } = LISTS[name];
			const first = await service.largePage(name);
			const second =
				first.length > SIZE
					? await service.list(endpoint, [name], { query: { page: 2, limit: SIZE } })
					: undefined;
			pages.push({ name, first, second });
		}
		return pages;
	},
	judge(pages) {
		const seen: Shown[] = [];
		const broken: Endpoint[] = [];
		let continued = 0;
		for (const { name, first, second } of pages) {
			const { endpoint } = LISTS[name];
			const route = Endpoints.shown(endpoint);
			if (!first.path) seen.push(whyNot(first.reading));
			else if (!second)
				seen.push(say`${route}: ${count(first.length, 'row')}, too few for two pages`);
			else if (!second.path) seen.push(whyNot(second.reading));
			else {
				const head = new Set(idsOf(first.rows.slice(0, SIZE)));
				const ids = idsOf(second.rows);
				const repeated = ids.filter((id) => head.has(id)).length;
				const following = new Set(idsOf(first.rows.slice(SIZE, 2 * SIZE)));
				// Rows of page 1 further on, but not those that follow: the first page has the number 0, or there is no order.
				const isElsewhere =
					!ids.some((id) => following.has(id)) &&
					first.rows.slice(2 * SIZE).some((row) => ids.includes(idOf(row) ?? ''));
				if (ids.length === 0)
					seen.push(
						second.length === 0
							? say`${route}: page 2 is empty`
							: say`${route}: the rows have no IDs`,
					);
				else if (repeated === ids.length || (second.length > SIZE && repeated === SIZE)) {
					broken.push(endpoint);
					seen.push(say`${route}: page 2 repeats page 1`);
				} else if (isElsewhere) {
					broken.push(endpoint);
					seen.push(say`${route}: page 2 does not begin where page 1 ends`);
				} else {
					continued++;
					seen.push(
						repeated > 0
							? say`${route}: continued, ${count(repeated, 'row')} shifted meanwhile`
							: say`${route}: continued`,
					);
				}
			}
		}
		if (broken.length > 0) return failsAt(broken, ...seen);
		return continued > 0 ? holds(...seen) : cannotTell(...seen);
	},
});
