import type { Shown } from '../access/shown';
import { shown } from '../access/shown';
import { isOwn } from './names';
import { isRecord } from './response';

/** The most keys that a message names. */
const MAX_KEYS = 20;

/**
 * What a response has instead of what its endpoint documents, for messages: "data has the keys id, total".
 *
 * @param json of the whole response
 */
export function whatCame(json: unknown): Shown {
	return isRecord(json) && isOwn(json, 'data')
		? described('data', json.data)
		: described('the body', json);
}

/** "a row has the keys id, title" */
export function described(what: string, value: unknown): Shown {
	if (isRecord(value)) {
		const keys = Object.keys(value);
		if (keys.length === 0) return shown`${what} is empty`;
		const others = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} others` : '';
		return shown`${what} has the keys ${keys.slice(0, MAX_KEYS).join(', ')}${others}`;
	}
	if (Array.isArray(value)) return shown`${what} is a list of ${value.length}`;
	return value === undefined
		? shown`${what} is empty`
		: shown`${what} is ${value === null ? 'null' : `a ${typeof value}`}`;
}
