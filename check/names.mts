import { isRecord } from '../nodes/ConversationalMessaging/api/response.ts';
import { accepted, join, type Shown } from './shown.mts';
import { HEADER_WORDS, KEY_WORDS, MAP_NAMES, STATE_WORDS } from './vocabulary.mts';

/** A longer name of a key is data. */
const MAX_KEY_LENGTH = 40;

/** Shown for a key that may be data, such as the phone number in a map by phone number. */
export const DYNAMIC_KEY = '<dynamic key>';

/** Shown for a word that may be data. */
export const OTHER_WORD = '<other text>';

/** More words than these are not collected, so that a large service does not fill the memory. */
const MAX_WORDS = 500_000;

/** The path of a field for a state, a type or another word of a fixed set. */
const STATE_KEY =
	/(?:status|state|stage|phase|type|kind|direction|channel|platform|priority|severity|category|escalation)(?:\/(?:name|value|code|status))?$/i;

/** An object with many keys that recur in few of its kind is a map. */
const MAP_KEYS = 12;
const MAP_RECURRENCE = 0.2;

/** Where an object is: a row of a list, in one, or in neither. */
type Where = 'outside' | 'row' | 'inside a row';

/** The objects at one place. */
interface Seen {
	objects: number;
	/** How many of them have each key. */
	keys: Map<string, number>;
	isInRow: boolean;
}

/**
 * Decides which names and words of the service may be shown. Names of keys are usually the service's own, but a key of
 * a map may be a phone number, a name, or the label of a custom field: such keys are recognized by how they look, by
 * where they occur, and because they occur as values too.
 */
export class Names {
	/** Words that occur in values, in lower case. */
	private readonly values = new Set<string>();
	/** By path. */
	private readonly places = new Map<string, Seen>();
	private maps?: Set<string>;
	/** Upper-case words that occur in fields for a state, a type and the like. */
	private readonly states = new Set<string>();

	/**
	 * Collects what occurs in a body. Call it with every body before anything is shown.
	 *
	 * @param kind bodies of one kind have the same keys: a route, and whether it was a rejection
	 */
	learn(json: unknown, kind = ''): void {
		this.maps = undefined;
		this.collect(json, kind.replaceAll('/', ' '), 0, 'outside');
	}

	/** Collects the words of a text, such as the rows of a file. */
	learnText(text: string): void {
		for (const [word] of text.toLowerCase().matchAll(/\p{L}{2,}/gu)) {
			if (this.values.size >= MAX_WORDS) return;
			this.values.add(word);
		}
	}

	/** The name of a key. */
	key(name: string): Shown {
		return accepted(name, (text) => this.isKey(text), DYNAMIC_KEY);
	}

	/** Names of keys from the outside in, e.g. "contact.waId". */
	path(names: readonly string[]): Shown {
		return join(
			names.map((name) => this.key(name)),
			'.',
		);
	}

	/** Several names, each once; those that may be data are shown once for all. */
	keys(names: Iterable<string>): Shown {
		const shown = new Map([...names].map((name) => [this.key(name).text, this.key(name)]));
		return join([...shown.values()]);
	}

	/** The name of a column of a file, which may consist of several words. */
	column(name: string): Shown {
		return accepted(
			name.trim(),
			(text) => consistsOfWords(text, KEY_WORDS) || this.isKey(text),
			DYNAMIC_KEY,
		);
	}

	/** Whether a name consists only of words that names of keys and columns usually consist of. */
	isUsual(name: string): boolean {
		return consistsOfWords(name, KEY_WORDS);
	}

	/** The name of a rate-limit header. Named throttlers add a suffix of their own. */
	header(name: string): Shown {
		return accepted(
			name,
			(text) => consistsOfWords(text, HEADER_WORDS),
			'<a rate-limit header with an unusual name>',
		);
	}

	/** A state, a type or another word of a fixed set, in upper case. Which texts are words of a set is known by their key. */
	word(value: unknown): Shown {
		return accepted(upperCase(value), (text) => this.isWord(text, value), OTHER_WORD);
	}

	/** Several words, each once, in their order. */
	words(values: Iterable<unknown>): Shown {
		const shown = new Map([...values].map((value) => [this.word(value).text, this.word(value)]));
		return join([...shown.values()]);
	}

	isKey(name: string): boolean {
		if (name.length > MAX_KEY_LENGTH || !/^[@_$]?[a-z][\w.$-]*$/i.test(name)) return false;
		if (consistsOfWords(name, KEY_WORDS)) return true;
		// Digits, a capital at the beginning, or a word that somebody wrote: it may be data.
		if (/\d/.test(name) || /^\p{Lu}/u.test(name)) return false;
		return !wordsOf(name).some((word) => this.values.has(word)) && !this.keysOfMaps().has(name);
	}

	/**
	 * Upper case, at most 30 letters, and of words that states and types consist of; or written in upper case by the
	 * service, in fields for states and types only.
	 */
	private isWord(text: string, value: unknown): boolean {
		if (!/^[A-Z][A-Z_]{0,29}$/.test(text)) return false;
		if (consistsOfWords(text, STATE_WORDS)) return true;
		return text === value && this.states.has(text) && !this.values.has(text.toLowerCase());
	}

	private collect(value: unknown, path: string, depth: number, where: Where): void {
		if (typeof value === 'string') {
			if (/^[A-Z][A-Z_]+$/.test(value) && STATE_KEY.test(path)) this.states.add(value);
			else this.learnText(value);
			return;
		}
		if (Array.isArray(value)) {
			const inner = where === 'outside' ? 'row' : 'inside a row';
			for (const entry of value) this.collect(entry, path, depth, inner);
			return;
		}
		if (!isRecord(value) || depth > 12) return;
		const place = this.places.get(path) ?? {
			objects: 0,
			keys: new Map<string, number>(),
			isInRow: false,
		};
		this.places.set(path, place);
		place.objects++;
		place.isInRow ||= where === 'inside a row';
		for (const [key, inner] of Object.entries(value)) {
			if (place.keys.size < 5_000) place.keys.set(key, (place.keys.get(key) ?? 0) + 1);
			// The keys of a map are one place, not many.
			const step = consistsOfWords(key, KEY_WORDS) ? key : '*';
			this.collect(
				inner,
				`${path}/${step}`,
				depth + 1,
				where === 'outside' ? 'outside' : 'inside a row',
			);
		}
	}

	/** The keys of objects that are maps. */
	private keysOfMaps(): Set<string> {
		if (this.maps) return this.maps;
		this.maps = new Set();
		for (const [path, { objects, keys, isInRow }] of this.places) {
			// The body itself is no map.
			if (!path.includes('/')) continue;
			const own = path.split('/').at(-1) ?? '';
			const unknown = [...keys.keys()].filter((key) => !consistsOfWords(key, KEY_WORDS));
			const recurrence = [...keys.values()].reduce((sum, n) => sum + n, 0) / (keys.size * objects);
			const isMap =
				MAP_NAMES.test(own) ||
				own === '*' ||
				// Counts by agent look like any other fields: only usual names are certainly the service's own.
				isInRow ||
				(objects > 1 && keys.size >= MAP_KEYS && recurrence < MAP_RECURRENCE) ||
				// Nothing but unknown names, deep inside a record: a map with one entry looks like this too.
				(path.split('/').length > 3 && unknown.length === keys.size);
			if (isMap) for (const key of unknown) this.maps.add(key);
		}
		return this.maps;
	}
}

/** "escalationStatus", "escalation_status" and "Escalation Status" as their words, in lower case. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
		.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);
}

function consistsOfWords(name: string, known: Set<string>): boolean {
	// A single digit numbers keys: "address2". More of them are data.
	const words = wordsOf(name).map((word) => word.replace(/(?<=\p{L})\d$/u, ''));
	return words.length > 0 && words.length <= 6 && words.every((word) => known.has(word));
}

const upperCase = (value: unknown): string =>
	typeof value === 'string'
		? value
				.trim()
				.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
				.toUpperCase()
				.replace(/[\s-]+/g, '_')
		: '';
