import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { idsOf, type ListReading } from '../service.mts';
import { say } from '../shown.mts';

interface Observed {
	all: ListReading;
	channels: ListReading;
	own?: ListReading;
}

export const templateChannels = assumption<Observed>({
	id: 'template-channels',
	question: 'Does the list of templates without a channel contain the templates of a channel too?',
	settles: [
		'listTemplates: whether templates of a channel are returned without channelId (not here)',
	],
	otherwise:
		'To pick a template of a channel, choose the channel first: the list then requests its templates.',
	async observe(service) {
		const all = await service.largePage('templates');
		const channels = await service.largePage('channels');
		const channel =
			channels.rows.find((row) => /whats/i.test(JSON.stringify(row))) ?? channels.rows[0];
		const channelId = channel && idOf(channel);
		if (channelId === undefined) return { all, channels };
		const query = { channelId, limit: 1000 };
		return { all, channels, own: await service.list('GET /templates', ['templates'], { query }) };
	},
	judge({ all, channels, own }) {
		if (!all.path) return cannotTell(whyNot(all.reading));
		if (!own)
			return cannotTell(channels.path ? say`there are no channels` : whyNot(channels.reading));
		if (!own.path) return cannotTell(whyNot(own.reading));
		const known = new Set(idsOf(all.rows));
		const ids = idsOf(own.rows);
		const missing = ids.filter((id) => !known.has(id)).length;
		const seen = say`${all.length} without a channel, ${own.length} of a channel, ${missing} of which only there`;
		if (ids.length === 0) return cannotTell(seen);
		if (missing > 0) return fails(seen);
		// The same rows with and without: the parameter may be ignored, or no template belongs to a channel.
		return ids.length < known.size ? holds(seen) : cannotTell(seen);
	},
});
