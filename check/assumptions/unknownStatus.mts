import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { LISTS } from '../lists.mts';
import { Endpoints, whyNot } from '../observe.mts';
import type { ListReading } from '../service.mts';
import { count, join, say, type Shown } from '../shown.mts';

/** A status that no record has. */
const NO_STATUS = 'NO_SUCH_STATUS';
const FILTERED = ['tickets', 'broadcasts'] as const;

interface Observed {
	endpoint: Endpoint;
	all: ListReading;
	none: ListReading;
}

export const unknownStatus = assumption<Observed[]>({
	id: 'unknown-status',
	question: 'Is a filter by a status that does not exist rejected, or does it return nothing?',
	settles: [],
	otherwise:
		'The nodes send documented statuses only and reject any other before anything is sent, so an ignored filter is never sent.',
	async observe(service) {
		const observed: Observed[] = [];
		for (const name of FILTERED) {
			const all = await service.largePage(name);
			const none = await service.list(LISTS[name].endpoint, [name], {
				query: { status: NO_STATUS, limit: 50 },
			});
			observed.push({ endpoint: LISTS[name].endpoint, all, none });
		}
		return observed;
	},
	judge(lists) {
		const results = lists.map((entry) => ({ ...judged(entry), endpoint: entry.endpoint }));
		const seen = results.map(({ endpoint, is, shown }) =>
			is === 'unread' ? shown : say`${Endpoints.shown(endpoint)}: ${shown}`,
		);
		if (results.some(({ is }) => is === 'ignored')) return fails(...seen);
		return results.some(({ is }) => is === 'used') ? holds(...seen) : cannotTell(join(seen, '; '));
	},
});

function judged({ all, none }: Observed): {
	is: 'used' | 'ignored' | 'unclear' | 'unread';
	shown: Shown;
} {
	if (!all.path) return { is: 'unread', shown: whyNot(all.reading) };
	const { response } = none.reading;
	if (response && [400, 404, 422].includes(response.status))
		return { is: 'used', shown: say`rejected with ${response.status}` };
	if (!none.path) return { is: 'unread', shown: whyNot(none.reading) };
	if (all.length === 0) return { is: 'unclear', shown: say`no records to filter` };
	if (none.length === 0) return { is: 'used', shown: say`an empty list` };
	return { is: 'ignored', shown: say`the filter is ignored: ${count(none.length, 'row')}` };
}
