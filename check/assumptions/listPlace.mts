import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { LIST_NAMES, LISTS } from '../lists.mts';
import { Endpoints, whyNot } from '../observe.mts';
import { messageReadings } from '../observations.mts';
import { isEmpty, isOk, isUnreadable, type ListReading } from '../service.mts';
import { literal, say, type Shown } from '../shown.mts';

interface Observed {
	endpoint: Endpoint;
	name: string;
	list: ListReading;
}

export const listPlace = assumption<Observed[]>({
	id: 'list-place',
	question: 'Do the nodes find the rows of every list, directly in data or under a name?',
	settles: [
		'ListEnvelope: whether the rows are directly in data or under a name',
		'Envelope: the shape of the payload',
	],
	otherwise: 'The operation stops with a message that the response has an unexpected shape.',
	async observe(service) {
		const lists: Observed[] = [];
		for (const name of LIST_NAMES)
			lists.push({ endpoint: LISTS[name].endpoint, name, list: await service.largePage(name) });
		const [messages] = await messageReadings(service);
		if (messages)
			lists.push({ endpoint: 'GET /chats/{id}/messages', name: 'messages', list: messages });
		return lists;
	},
	judge(lists, { names }) {
		const seen: Shown[] = [];
		const broken: Endpoint[] = [];
		let found = 0;
		for (const { endpoint, list } of lists) {
			const route = Endpoints.shown(endpoint);
			if (list.path) {
				if (!isEmpty(list.reading)) found++;
				seen.push(
					isEmpty(list.reading)
						? say`${route}: no data`
						: list.path.length === 0
							? say`${route}: directly in data`
							: say`${route}: under ${names.path(list.path)}`,
				);
			} else if (isOk(list.reading)) {
				broken.push(endpoint);
				seen.push(
					say`${route}: ${literal(isUnreadable(list.reading) ? 'the response is not JSON' : 'no rows found')}`,
				);
			} else seen.push(whyNot(list.reading));
		}
		if (broken.length > 0) return failsAt(broken, ...seen);
		return found > 0 ? holds(...seen) : cannotTell(...seen);
	},
});
