import { errorMessage } from '../../nodes/ConversationalMessaging/api/errorMessage.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { allPaths, Endpoints, typesAt, whyNot } from '../observe.mts';
import { isOk, type Reading } from '../service.mts';
import { join, literal, say, type Shown } from '../shown.mts';
import type { Names } from '../names.mts';

const ROUTES = [
	['tickets', 'GET /tickets/{id}'],
	['chats', 'GET /chats/{id}'],
] as const;

export const notFoundShape = assumption<Reading[]>({
	id: 'not-found-shape',
	question: 'Is a record that does not exist rejected with 404 and a message that the nodes find?',
	settles: ['contract: the JSON shape of an error body'],
	otherwise:
		'Without a message, the nodes show the status only. With another status than 404, the trigger does not recognize that a record was deleted.',
	async observe(service) {
		const readings: Reading[] = [];
		for (const [name, route] of ROUTES) {
			const { rows } = await service.largePage(name);
			const ids = rows.map(idOf).filter((id) => id !== undefined);
			readings.push(await service.read(route, { path: { id: missingId(ids) } }));
		}
		return readings;
	},
	judge(readings, { names }) {
		const seen: Shown[] = [];
		const broken: Reading['endpoint'][] = [];
		let judged = 0;
		let silent = 0;
		for (const reading of readings) {
			const { endpoint, response } = reading;
			const route = Endpoints.shown(endpoint);
			if (!response || [403, 500, 502, 503, 504].includes(response.status)) {
				seen.push(whyNot(reading));
				continue;
			}
			judged++;
			const message = errorMessage(response, (text) => text);
			if (!isOk(reading) && message === undefined) silent++;
			if (response.status !== 404) broken.push(endpoint);
			seen.push(
				say`${route}: ${response.status}, ${bodyOf(response.json, response.text, names)}${literal(message === undefined ? ', no message is found' : '')}`,
			);
		}
		if (broken.length > 0) return failsAt(broken, ...seen);
		if (judged === 0) return cannotTell(...seen);
		return silent > 0 ? fails(...seen) : holds(...seen);
	},
});

/**
 * An ID in the form of the others that none of them has, so that it is not rejected for its form. Only its end is
 * changed, digits to digits and hexadecimal letters to others: the rest may be a version, a prefix, or a time.
 */
export function missingId(ids: readonly string[]): string {
	const [id = 'clzzzzzzz0000zzzzzzz0000'] = ids;
	// A number that is one higher may exist; one with more digits does not.
	if (/^\d{1,12}$/.test(id)) return `9${id}`;
	const start = Math.floor((id.length * 3) / 4);
	const next = (digit: string) => NEXT[digit] ?? digit;
	const changed = id.slice(0, start) + id.slice(start).replace(/[0-9a-f]/gi, next);
	return changed === id || ids.includes(changed) ? `${id.slice(0, -1)}0` : changed;
}

const NEXT = Object.fromEntries(
	['0123456789', 'abcdef', 'ABCDEF'].flatMap((digits) =>
		Array.from(digits, (digit, index) => [digit, digits[(index + 1) % digits.length] ?? digit]),
	),
);

function bodyOf(json: unknown, text: string, names: Names): Shown {
	if (isRecord(json)) {
		const paths = allPaths([json], 3);
		return join(paths.map((path) => say`${names.path(path)} (${typesAt([json], path)})`));
	}
	if (json !== undefined) return say`JSON without keys`;
	if (text.trim() === '') return say`no body`;
	return /<\w+[^>]*>/.test(text) ? say`HTML` : say`plain text`;
}
