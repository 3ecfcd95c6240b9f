/** What all lists have in common, and their records. */
import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { errorMessage } from '../../nodes/ConversationalMessaging/api/errorMessage.ts';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { recordNames } from '../../nodes/ConversationalMessaging/api/recordNames.ts';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import {
	allOf,
	anyOf,
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	unread,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { documentedSize, LIST_NAMES, LISTS, PAGED_LISTS, type ListName } from '../lists.mts';
import { keys, path, paths } from '../names.mts';
import { eventsOf, operationsOf } from '../operations.mts';
import { allPaths, timeOf, typesAt, valueAt } from '../records.mts';
import {
	idsOf,
	isEmpty,
	isOk,
	isUnclear,
	isUnreadable,
	LARGE_PAGE,
	routeOf,
	whyNot,
	type ListReading,
	type Reading,
	type Service,
} from '../service.mts';
import { count, join, literal, say, type Shown } from '../shown.mts';

/** Judges each of these lists by a page of it. */
async function eachList(
	service: Service,
	names: readonly ListName[],
	judge: (list: ListReading, name: ListName) => Judgement | Promise<Judgement>,
): Promise<Judgement> {
	const parts: Judgement[] = [];
	let isFailing = false;
	for (const name of names) {
		const list = await service.largePage(name);
		// Without a permission, a list is not used; another failure may be that of a list that is.
		isFailing ||= !isOk(list.reading) && ![403, 404].includes(list.reading.response?.status ?? 0);
		parts.push(await judge(list, name));
	}
	return isFailing ? allOf(parts) : anyOf(parts);
}

export const listPlace: Assumption = {
	id: 'list-place',
	question: 'Do the nodes find the rows of every list, directly in data or under a name?',
	settles: [
		'ListEnvelope: whether the rows are directly in data or under a name',
		'Envelope: the shape of the payload',
	],
	otherwise:
		'An operation that does not find them stops with a message that the response has an unexpected shape.',
	check: async (service) =>
		await eachList(service, LIST_NAMES, ({ reading, path: place }) => {
			const route = routeOf(reading);
			if (!isOk(reading)) return unread(reading);
			if (isUnreadable(reading))
				return failsAt([reading.endpoint], say`${route}: the response is not JSON`);
			if (!place) return failsAt([reading.endpoint], say`${route}: no rows found`);
			if (isEmpty(reading)) return cannotTell(say`${route}: no data`);
			return holds(
				place.length === 0 ? say`${route}: directly in data` : say`${route}: under ${path(place)}`,
			);
		}),
};

export const recordIds: Assumption = {
	id: 'record-ids',
	question: 'Does every record of the lists show its ID where the nodes read it?',
	settles: [],
	otherwise:
		'From List in the editor does not show these records, an operation that looks one up in the list does not find it, and the trigger does not see them. Get Many returns them unchanged.',
	check: async (service) =>
		await eachList(service, LIST_NAMES, (list, name) => {
			const { rows, reading } = list;
			const route = routeOf(reading);
			const without = rows.length - idsOf(rows).length;
			if (without === 0) return withoutRows(list) ?? holds(say`${route}: in all of ${rows.length}`);
			const users = operationsOf([reading.endpoint]).filter((user) => !user.endsWith('Get Many'));
			const seen = say`${route}: ${without} of ${rows.length} without; keys: ${keys(Object.keys(rows[0] ?? {}))}`;
			return without < rows.length
				? fails(seen)
				: failsFor([`From List (${name})`, ...users], seen);
		}),
};

export const listLength: Assumption = {
	id: 'list-length',
	question: 'Does each list show its total, and are its pages as large as documented?',
	settles: ['listContactImports: the maximum of limit; the sandbox uses the general one'],
	otherwise:
		'Without a total, the nodes read page after page until one has no new rows, and cannot notice that rows are missing; the trigger reads the first page of such a list and one other per poll. Smaller pages need more requests. A list that rejects the documented page size cannot be read.',
	check: async (service) =>
		await eachList(service, [...PAGED_LISTS, 'imports'], async (list, name) => {
			const { reading, meta, length } = list;
			const route = routeOf(reading);
			const documented = documentedSize(reading.endpoint) ?? LARGE_PAGE;
			const requested = Number(reading.params.query?.limit ?? 0);
			if (list.path && requested < documented) {
				const asNodes = (await service.list(name, { limit: documented })).reading;
				return isOk(asNodes) || isUnclear(asNodes)
					? cannotTell(whyNot(asNodes))
					: failsAt(
							[reading.endpoint],
							say`${whyNot(asNodes)} for limit=${documented}, which the nodes send`,
						);
			}
			if (!list.path || isEmpty(reading)) return withoutRows(list) ?? cannotTell();
			const size = sizeOf(list);
			const isSmaller = size !== undefined && size < documented;
			const hasTotal = meta.total !== undefined || name === 'imports';
			const seen = say`${route}: ${hasTotal ? say`` : say`no total, `}${
				size === undefined
					? say`${count(length, 'row')}, too few to show the largest page`
					: isSmaller
						? say`at most ${count(size, 'row')} per page, documented ${documented}`
						: say`pages of ${documented} rows or more`
			}`;
			return hasTotal && !isSmaller ? holds(seen) : fails(seen);
		}),
};

/** The page size in force, which a full page shows if the list has more rows than the page. */
function sizeOf({ length, meta }: ListReading): number | undefined {
	const hasMore = meta.total !== undefined ? meta.total > length : (meta.totalPages ?? 0) > 1;
	return hasMore && length > 0 ? length : undefined;
}

/** Rows per page, to compare two pages. */
const SIZE = 5;

export const paging: Assumption = {
	id: 'paging',
	question: 'Does page 2 of each list continue page 1?',
	settles: [],
	otherwise: 'Return All and the trigger read the same rows again and miss the others.',
	check: async (service) =>
		await eachList(service, PAGED_LISTS, async (first, name) => {
			const route = routeOf(first.reading);
			if (first.rows.length === 0) return withoutRows(first) ?? cannotTell();
			if (first.length <= SIZE)
				return cannotTell(say`${route}: ${count(first.length, 'row')}, too few for two pages`);
			const second = await service.list(name, { page: 2, limit: SIZE });
			if (isUnclear(second.reading)) return cannotTell(whyNot(second.reading));
			if (second.length === 0) {
				// Where the limit has no effect, page 1 may have all rows.
				const one = await service.list(name, { page: 1, limit: SIZE });
				const seen = isOk(second.reading)
					? say`${route}: page 2 is empty`
					: say`${whyNot(second.reading)} for page 2`;
				return one.length > 0 && one.length < Math.max(first.length, first.meta.total ?? 0)
					? failsAt([LISTS[name]], say`${seen}, although there are more rows`)
					: cannotTell(seen);
			}
			const ids = idsOf(second.rows);
			if (ids.length === 0) return cannotTell(say`${route}: the rows have no IDs`);
			const isAmong = (rows: IDataObject[]) => {
				const known = new Set(idsOf(rows));
				return ids.filter((id) => known.has(id)).length;
			};
			const repeated = isAmong(first.rows.slice(0, SIZE));
			if (repeated === ids.length || (second.length > SIZE && repeated === SIZE))
				return failsAt([LISTS[name]], say`${route}: page 2 repeats page 1`);
			// Rows of page 1 further on, but not those that follow: the first page has the number 0, or there is no order.
			const following = isAmong(first.rows.slice(SIZE, 2 * SIZE));
			if (following === 0 && isAmong(first.rows.slice(2 * SIZE)) > 0)
				return failsAt([LISTS[name]], say`${route}: page 2 does not begin where page 1 ends`);
			return holds(say`${route}: continued`);
		}),
};

/** With fewer different times, an order may be a coincidence. */
const MIN_TIMES = 6;

export const listOrder: Assumption = {
	id: 'list-order',
	question: 'Are tickets, chats and broadcasts sorted by time?',
	settles: ['contract: the order of lists'],
	otherwise:
		'With more than 1,000 tickets or broadcasts, the trigger needs more requests to find the new ones. With more than 2,000 chats, a message may be emitted a few polls later.',
	check: async (service) =>
		await eachList(service, ['tickets', 'chats', 'broadcasts'], (list) => {
			const route = routeOf(list.reading);
			if (list.rows.length === 0) return withoutRows(list) ?? cannotTell();
			const times = timesOf(list);
			if (times.length === 0)
				return cannotTell(say`${route}: too few rows with different times to show an order`);
			const sorted = times.flatMap(({ keys: place, values }) => {
				const direction = directionOf(values);
				return direction ? [say`${path(place)}, ${literal(direction)}`] : [];
			});
			return sorted.length > 0
				? holds(say`${route}: by ${join(sorted, '; ')}`)
				: fails(say`${route}: not by ${paths(times.map(({ keys: place }) => place))}`);
		}),
};

/** The times of the rows, by their keys. A number is a time only under a name that says so: an ID may look like one. */
function timesOf({ rows, reading }: ListReading): { keys: string[]; values: number[] }[] {
	return allPaths(rows, 2).flatMap((keysOfTime) => {
		const isNamed = /(?:at|on|time|date|stamp|ts|created|updated|modified|changed)$/i.test(
			keysOfTime.at(-1) ?? '',
		);
		const values = rows
			.map((row) => timeOf(valueAt(row, keysOfTime), reading.at))
			.filter((time) => time !== undefined);
		const different = new Set(values.map((time) => Math.floor(time / SAME_MS))).size;
		return isNamed && different >= MIN_TIMES ? [{ keys: keysOfTime, values }] : [];
	});
}

/** What happens within a second may be listed in any order. */
export const SAME_MS = 1_000;

/** @returns undefined if the times are in no order */
export function directionOf(times: readonly number[]): 'newest first' | 'oldest first' | undefined {
	const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
	const isRising = (times.at(-1) ?? 0) > (times[0] ?? 0);
	if (!isRising && steps.every((step) => step <= SAME_MS)) return 'newest first';
	return steps.every((step) => step >= -SAME_MS) ? 'oldest first' : undefined;
}

export const notFound: Assumption = {
	id: 'not-found',
	question: 'Is a record that does not exist rejected with 404 and a message that the nodes find?',
	settles: ['contract: the JSON shape of an error body'],
	otherwise:
		'Without a message, the nodes show only the status. With another status than 404, the trigger does not recognize that a record was deleted.',
	check: async (service) =>
		anyOf([
			await judgeMissing(service, 'tickets', 'GET /tickets/{id}'),
			await judgeMissing(service, 'chats', 'GET /chats/{id}'),
		]),
};

async function judgeMissing(
	service: Service,
	name: ListName,
	endpoint: Endpoint,
): Promise<Judgement> {
	const { rows } = await service.largePage(name);
	const id = missingId(rows.map(idOf).filter((found) => found !== undefined));
	const reading = await service.read(endpoint, { path: { id } });
	const { response } = reading;
	const route = routeOf(reading);
	if (!response || isUnclear(reading)) return cannotTell(whyNot(reading));
	if (isOk(reading) && recordOf(response.json, recordNames(endpoint)).id === id)
		return cannotTell(say`${route}: a record has the ID that was meant for none`);
	const hasMessage = errorMessage(response, (text) => text) !== undefined;
	const seen = say`${route}: ${response.status}, ${bodyOf(reading)}${literal(hasMessage ? '' : ', no message is found')}`;
	if (response.status !== 404) return failsFor(eventsOf(endpoint), seen);
	return hasMessage ? holds(seen) : fails(seen);
}

/** An ID in the form of the others that none of them has, so that it is not rejected for its form. */
export function missingId([id = 'clzzzzzzz0000zzzzzzz0000']: readonly string[]): string {
	// A number that is one higher may exist; one with more digits does not.
	if (/^\d{1,12}$/.test(id)) return `9${id}`;
	// The beginning may be a version, a prefix, or a time.
	const start = Math.floor((id.length * 3) / 4);
	const end = id.slice(start).replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
	const changed = id.slice(0, start) + end;
	return changed === id ? `${id.slice(0, -1)}0` : changed;
}

function bodyOf({ response }: Reading): Shown {
	const { json, text = '' } = response ?? {};
	if (isRecord(json)) {
		const all = allPaths([json]).map((place) => say`${path(place)} (${typesAt([json], place)})`);
		return join(all);
	}
	if (json !== undefined) return say`JSON without keys`;
	if (text.trim() === '') return say`no body`;
	return /<\w+[^>]*>/.test(text) ? say`HTML` : say`plain text`;
}
