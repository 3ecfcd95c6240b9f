import { isRecord, payloadOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { allPaths, valueAt, whyNot } from '../observe.mts';
import { detail, type Detail } from '../observations.mts';
import { isOk } from '../service.mts';
import { join, say } from '../shown.mts';

export const channelTotals = assumption<Detail>({
	id: 'channel-totals',
	question: 'Do the details of a channel contain its totals of chats, messages and broadcasts?',
	settles: ['getChannel: the names of the totals'],
	otherwise: 'Channel → Get returns the response unchanged.',
	observe: async (service) => await detail(service, 'channels'),
	judge({ list, reading }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		if (!reading) return cannotTell(say`there are no channels`);
		if (!isOk(reading)) return cannotTell(whyNot(reading));
		const payload = payloadOf(reading.response?.json);
		if (!isRecord(payload)) return fails(say`data is not an object`);
		const numbers = allPaths([payload], 3).filter(
			(path) => typeof valueAt(payload, path) === 'number',
		);
		const about = (what: RegExp) => numbers.filter((path) => path.some((key) => what.test(key)));
		const totals = [about(/chat|conversation/i), about(/message/i), about(/broadcast|campaign/i)];
		const shown = [...new Map(totals.flat().map((path) => [path.join(), path])).values()];
		if (shown.length === 0) return fails(say`no numbers of chats, messages or broadcasts`);
		const seen = join(shown.map((path) => names.path(path)));
		return totals.every((found) => found.length > 0) ? holds(seen) : fails(seen);
	},
});
