import type { IDataObject } from 'n8n-workflow';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { allPaths, valueAt, whyNot } from '../observe.mts';
import { spellingOf } from '../spelling.mts';
import type { ListReading } from '../service.mts';
import { join, literal, say } from '../shown.mts';

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
			if (chats.path && channels.path) return cannotTell(say`there are no chats and no channels`);
			return cannotTell(whyNot((chats.path ? channels : chats).reading));
		}
		const seen = found.map(
			({ kind, path = [], words }) =>
				say`${kind}: ${names.path(path)}: ${names.words(words)} (${literal(spellingOf(words))})`,
		);
		const isFilterable = found.some(({ words }) => words.some((word) => isType(word)));
		if (!isFilterable) return cannotTell(...seen, say`neither of the two occurs`);
		const isKnown = found.every(({ words }) =>
			words.filter(isType).every((word) => KNOWN.includes(word)),
		);
		return isKnown ? holds(...seen) : fails(join(seen, '; '));
	},
});

const isType = (value: string) => /^(?:whats_?app|instagram)(?:_\w+)?$/i.test(value);

/** The documented types that cannot be filtered by. */
const OTHER = /^(?:web_?chat|telegram|tik_?tok(?:_?shop)?)$/i;

/** The key of a channel's type: the one with a documented type, or one that is called type or channel. */
function typesIn(rows: readonly IDataObject[]): { path?: string[]; words: string[] } {
	const texts = (path: string[]) =>
		rows
			.map((row) => valueAt(row, path))
			.filter((value): value is string => typeof value === 'string');
	const paths = allPaths(rows.slice(0, 100), 2).filter((path) => texts(path).length > 0);
	const path =
		paths.find((candidate) => texts(candidate).some((text) => KNOWN.includes(text))) ??
		paths.find((candidate) => texts(candidate).some(isType)) ??
		paths.find((candidate) => texts(candidate).every((text) => OTHER.test(text)));
	return { path, words: path ? [...new Set(texts(path))] : [] };
}
