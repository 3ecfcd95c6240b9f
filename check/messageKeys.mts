import type { IDataObject } from 'n8n-workflow';
import { wordsOf } from './names.mts';
import { allPaths, timeOf, timePaths, valueAt } from './observe.mts';

const IN = [
	'inbound',
	'incoming',
	'in',
	'received',
	'customer',
	'contact',
	'user',
	'client',
	'visitor',
	'them',
];
const OUT = [
	'outbound',
	'outgoing',
	'out',
	'sent',
	'agent',
	'business',
	'bot',
	'system',
	'operator',
	'me',
	'us',
	'ai',
	'flow',
];
const DIRECTION_NAMES = [
	'direction',
	'way',
	'sender',
	'from',
	'author',
	'origin',
	'side',
	'dir',
	'by',
	'role',
	'source',
	'me',
	'inbound',
	'outbound',
	'incoming',
	'outgoing',
	'customer',
];

const isDirectionWord = (value: unknown): boolean =>
	typeof value === 'string' &&
	wordsOf(value).length <= 2 &&
	wordsOf(value).some((word) => IN.includes(word) || OUT.includes(word));

/**
 * The key of a message's direction: its values are words of two sides, or true and false under a name such as fromMe.
 *
 * @returns undefined if there is none
 */
export function directionKey(messages: readonly IDataObject[]): string[] | undefined {
	const named = allPaths(messages.slice(0, 100), 2).filter((path) =>
		path.some((key) => wordsOf(key).some((word) => DIRECTION_NAMES.includes(word))),
	);
	const all = (path: string[], test: (value: unknown) => boolean) =>
		messages.length > 0 && messages.every((message) => test(valueAt(message, path)));
	const found =
		named.find((path) => all(path, isDirectionWord)) ??
		named.find((path) => all(path, (value) => typeof value === 'boolean'));
	if (found) return found;
	// Words of two sides under any other name, such as kind.
	const any = allPaths(messages.slice(0, 100), 2).filter((path) => all(path, isDirectionWord));
	return any.find((path) => {
		const sides = new Set(messages.map((message) => sideOf(valueAt(message, path))));
		return sides.size === 2;
	});
}

const sideOf = (value: unknown): 'in' | 'out' =>
	wordsOf(String(value)).some((word) => IN.includes(word)) ? 'in' : 'out';

/** The key of a message's time: of its creation, or the only one there is. */
export function messageTimeKey(
	messages: readonly IDataObject[],
	now: number,
): string[] | undefined {
	const { created, all } = timePaths(messages, now);
	const everywhere = (path: string[]) =>
		messages.every((message) => timeOf(valueAt(message, path), now) !== undefined);
	const usable = all.filter((path) => path.length === 1 && everywhere(path));
	const named = usable.filter((path) =>
		/^(?:sent|received|time|date|timestamp|ts|at)/i.test(path[0] ?? ''),
	);
	return created.find(everywhere) ?? named[0] ?? usable[0];
}
