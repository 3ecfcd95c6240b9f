import type { IDataObject } from 'n8n-workflow';
import { assumption, fails, holds, unknown } from '../assumption.mts';
import { allPaths, valueAt, whyNot } from '../observe.mts';
import { spellingOf } from '../spelling.mts';
import type { ListReading } from '../service.mts';
import { join, own, say } from '../shown.mts';

const KNOWN = ['WHATSAPP', 'INSTAGRAM'];

export const channelTypes = assumption<{ chats: ListReading; channels: ListReading }>({
	id: 'channel-types',
	question: 'Do chats and channels show their type, with WHATSAPP and INSTAGRAM as documented?',
	settles: ['listChats: the names of the channel types besides the two that can be filtered by'],
	otherwise: 'Lists in the editor show no type. Filters by channel type are sent as documented.',
	observe: async (service) => ({
		chats: await service.largePage('chats'),
		channels: await service.largePage('channels'),
	}),
	judge({ chats, channels }, { names }) {
		const found = [
			{ kind: say`chats`, ...typesIn(chats.rows) },
			{ kind: say`channels`, ...typesIn(channels.rows) },
		].filter(({ path }) => path !== undefined);
		if (found.length === 0) {
			if (chats.rows.length + channels.rows.length > 0) return fails(say`no key shows a type`);
			return unknown(chats.path ? whyNot(channels.reading) : whyNot(chats.reading));
		}
		const seen = found.map(
			({ kind, path = [], words }) =>
				say`${kind}: ${names.path(path)}: ${names.words(words)} (${own(spellingOf(words))})`,
		);
		const isKnown = found.every(({ words }) => words.some((word) => KNOWN.includes(word)));
		return isKnown ? holds(...seen) : fails(join(seen, '; '));
	},
});

/** The key of a channel's type: the one with a documented type, or one that is called type or channel. */
function typesIn(rows: readonly IDataObject[]): { path?: string[]; words: string[] } {
	const texts = (path: string[]) =>
		rows
			.map((row) => valueAt(row, path))
			.filter((value): value is string => typeof value === 'string');
	const paths = allPaths(rows.slice(0, 100), 2).filter((path) => texts(path).length > 0);
	const isType = (value: string) => /^(?:whats_?app|instagram)(?:_\w+)?$/i.test(value);
	const path =
		paths.find((candidate) => texts(candidate).some((text) => KNOWN.includes(text))) ??
		paths.find((candidate) => texts(candidate).some(isType));
	return { path, words: path ? [...new Set(texts(path))] : [] };
}
