import type { IDataObject } from 'n8n-workflow';
import { progressOf } from '../nodes/ConversationalMessaging/api/progress.ts';
import { errorMessage } from '../nodes/ConversationalMessaging/api/errorMessage.ts';
import { isRecord, payloadOf, statusOf } from '../nodes/ConversationalMessaging/api/response.ts';
import type { Likeness, ListLikeness, RateHeaderLikeness } from '../sandbox/likeness.mts';
import type { CheckResult } from './check.mts';
import { columnsIn } from './csvColumns.mts';
import { sizeOf } from './assumptions/pageSizes.mts';
import { orderOf } from './listOrder.mts';
import { LIST_NAMES, LISTS } from './lists.mts';
import { directionKey, messageTimeKey } from './messageKeys.mts';
import type { Names } from './names.mts';
import { timeOf, timePaths, valueAt } from './observe.mts';
import { rateHeadersIn, type RateHeader } from './rateHeaderForms.mts';
import { isOk, listIn, type ListReading, type Reading } from './service.mts';
import { spellingOf } from './spelling.mts';

export type { Likeness };

/** What the sandbox needs to be like the service: as far as it was seen, and may be shown. */
export function likenessOf({ service: { readings }, names }: CheckResult): Likeness {
	const lists: Likeness['lists'] = {};
	for (const name of [...LIST_NAMES, 'messages'] as const) {
		const own = readings
			.filter(
				({ endpoint }) =>
					endpoint === (name === 'messages' ? 'GET /chats/{id}/messages' : LISTS[name].endpoint),
			)
			.map((reading) => listIn(reading, [name]));
		const found = listLikeness(own, name, names);
		if (found) lists[name] = found;
	}
	return {
		lists,
		...defined('counts', countsOf(readings)),
		...defined('rateLimit', rateLimitOf(readings, names)),
		...defined('waIdPlus', plusOf(readings)),
		...defined('importStates', statesOf(readings, names)),
		...defined('exportColumns', columnsIn(readings, 'GET /contacts/export', names)),
		...defined('shapes', shapesOf(readings, names)),
	};
}

/** No key for what is not known. */
const defined = <K extends string, T>(key: K, value: T | undefined): Partial<Record<K, T>> =>
	value === undefined ? {} : ({ [key]: value } as Record<K, T>);

/** Names of keys, unless one of them may be data. */
function shownPath(path: readonly string[], names: Names): string[] | undefined {
	return path.every((key) => names.isKey(key)) ? path.map((key) => names.key(key).text) : undefined;
}

function listLikeness(
	readings: ListReading[],
	name: string,
	names: Names,
): ListLikeness | undefined {
	const read = readings.filter(({ path }) => path !== undefined);
	const longest = read.toSorted((one, other) => other.length - one.length)[0];
	if (!longest) return undefined;
	const usual = read.find(
		({ requested, reading }) =>
			requested === undefined && !('page' in (reading.params.query ?? {})),
	);
	const large = read.find(({ requested }) => requested === 1000);
	const rows = longest.rows;
	const { kind, direction } = orderOf(rows, longest.reading.at);
	const oldestFirst = direction === 'oldest first';
	const order =
		kind === 'neither'
			? ({ by: 'nothing' } as const)
			: kind === 'unclear'
				? undefined
				: {
						by: kind === 'last change' ? ('last change' as const) : ('creation' as const),
						...(oldestFirst && { oldestFirst }),
					};
	const largest = large && sizeOf(large);
	const keys = keysOf(rows, name, names, longest.reading.at);
	return {
		...defined('path', longest.path && shownPath(longest.path, names)),
		...defined('defaultSize', usual && sizeOf(usual)),
		...defined('largestSize', largest),
		...(name !== 'messages' && defined('order', order)),
		...(Object.keys(keys).length > 0 && { keys }),
		...defined('times', timesOf(rows, longest.reading.at)),
	};
}

/** Where the records have what the sandbox keeps under these names, if under others. */
function keysOf(
	rows: readonly IDataObject[],
	list: string,
	names: Names,
	now: number,
): Record<string, string[]> {
	const { created, changed } = timePaths(rows, now);
	const isMessage = list === 'messages';
	const found: Record<string, string[] | undefined> = {
		createdAt: isMessage ? messageTimeKey(rows, now) : created[0],
		updatedAt: isMessage ? undefined : changed.find((path) => path.length === 1),
		direction: isMessage ? directionKey(rows) : undefined,
		status: list === 'tickets' || list === 'broadcasts' ? statusPath(rows) : undefined,
	};
	const keys: Record<string, string[]> = {};
	for (const [own, path] of Object.entries(found)) {
		const shown = path && shownPath(path, names);
		if (shown && shown.join('.') !== own) keys[own] = shown;
	}
	return keys;
}

/** Where the nodes read the status. */
function statusPath(rows: readonly IDataObject[]): string[] | undefined {
	const [row] = rows;
	if (!row || statusOf(row) === undefined) return undefined;
	const key = row.status !== undefined && row.status !== null ? 'status' : 'state';
	const value = row[key];
	if (!isRecord(value)) return [key];
	const inner = ['name', 'value', 'status', 'code'].find((name) => typeof value[name] === 'string');
	return inner === undefined ? undefined : [key, inner];
}

function timesOf(rows: readonly IDataObject[], now: number): ListLikeness['times'] {
	const { all } = timePaths(rows, now);
	const forms = new Set(
		all.flatMap((path) => rows.map((row) => timeOf(valueAt(row, path), now)?.form)),
	);
	if (forms.has('ISO 8601')) return undefined;
	if (forms.has('epoch seconds')) return 'epoch seconds';
	return forms.has('epoch milliseconds') ? 'epoch milliseconds' : undefined;
}

function countsOf(readings: readonly Reading[]): Likeness['counts'] {
	const lists = readings.filter(
		({ endpoint, response }) => endpoint === 'GET /tickets' && response?.status === 200,
	);
	const [reading] = lists;
	const json = reading?.response?.json;
	if (!reading || !isRecord(json)) return undefined;
	const { total, limit, totalPages } = listIn(reading, ['tickets']).meta;
	const stated = Object.entries({ total, limit, totalPages }).filter(
		([, count]) => count !== undefined,
	);
	if (stated.length === 0) return { under: 'none', names: [] };
	const under = isRecord(json.pagination) && !isRecord(json.meta) ? 'pagination' : 'meta';
	return { under, names: ['page', ...stated.map(([name]) => name)] };
}

function rateLimitOf(readings: readonly Reading[], names: Names): Likeness['rateLimit'] {
	const answered = readings.filter(({ response }) => response);
	const all = answered.map(({ response }) => rateHeadersIn(response?.headers ?? {}));
	const headers = new Map(all.flat().map((header) => [header.name, header]));
	const shown = [...headers.values()].filter(
		(header): header is RateHeader & { meaning: RateHeaderLikeness['meaning'] } =>
			header.meaning !== 'other' && names.header(header.name).text === header.name,
	);
	if (shown.length === 0) return undefined;
	const limit = shown.find(({ meaning }) => meaning === 'limit')?.value;
	const requests = Number(/^\d+/.exec(limit ?? '')?.[0] ?? NaN);
	return {
		...(Number.isFinite(requests) && { requests }),
		routes: all.filter((own) => own.length > 0).length > answered.length / 2 ? 'all' : 'listed',
		headers: shown.map(({ name, meaning, form }) => ({ name, meaning, ...(form && { form }) })),
	};
}

function plusOf(readings: readonly Reading[]): boolean | undefined {
	const rows = readings
		.filter(({ endpoint }) => endpoint === 'GET /contacts')
		.flatMap((reading) => listIn(reading, ['contacts']).rows);
	const ids = rows
		.map(({ waId }) => waId)
		.filter((waId): waId is string => typeof waId === 'string' && waId !== '');
	return ids.length === 0 ? undefined : ids.every((waId) => waId.startsWith('+'));
}

/** The states of import jobs, by what the nodes understand. Words that may not be shown stay the sandbox's own. */
function statesOf(readings: readonly Reading[], names: Names): Likeness['importStates'] {
	const rows = readings
		.filter(({ endpoint }) => endpoint === 'GET /contacts/imports')
		.flatMap((reading) => listIn(reading, ['imports']).rows);
	const states = [...new Set(rows.map(statusOf).filter((state) => state !== undefined))];
	if (states.length === 0) return undefined;
	const spelling = spellingOf(states);
	const spelled = (word: string) => (spelling === 'lower case' ? word.toLowerCase() : word);
	const found: NonNullable<Likeness['importStates']> = {};
	for (const state of states) {
		const word = names.word(state).text;
		if (!/^[A-Z_]+$/.test(word)) continue;
		const own =
			progressOf(state) === 'ended'
				? /fail|err|cancel|abort|reject/i.test(state)
					? 'failed'
					: 'completed'
				: progressOf(state) === 'running'
					? /queue|pend|wait|sched|creat/i.test(state)
						? 'queued'
						: 'processing'
					: undefined;
		if (own) found[own] ??= spelled(word);
	}
	return {
		...(spelling === 'upper case' && {
			queued: 'QUEUED',
			processing: 'PROCESSING',
			completed: 'COMPLETED',
			failed: 'FAILED',
		}),
		...found,
	};
}

/** Settings that the sandbox has by itself. */
function shapesOf(readings: readonly Reading[], names: Names): Likeness['shapes'] {
	const shapes: Record<string, unknown> = {};
	const contact = readings.find(
		(reading) => reading.endpoint === 'GET /contacts/{id}' && isOk(reading),
	);
	const payload = payloadOf(contact?.response?.json);
	if (isRecord(payload)) shapes.contactUnder = isRecord(payload.contact) ? 'contact' : 'top';
	const plus = lookups(readings);
	if (plus !== undefined) shapes.plus = plus ? 'same' : 'other';
	const missing = readings.find(({ response }) => response?.status === 404)?.response;
	const shape = missing && errorShape(missing.json, missing.text);
	if (shape && errorMessage(missing, (text) => text) !== undefined) shapes.errors = shape;
	const columns = columnsIn(readings, 'GET /contacts/import-template', names);
	if (columns && columns.length >= 2) shapes.importColumns = columns;
	return shapes as Likeness['shapes'];
}

/** Whether a contact is found by its number with and without a plus; undefined if both were not tried. */
function lookups(readings: readonly Reading[]): boolean | undefined {
	const tried = readings.filter(
		({ endpoint, params }) =>
			endpoint === 'GET /contacts/{id}' && /^\+?\d{7,15}$/.test(params.path?.id ?? ''),
	);
	const found = tried.filter(isOk).length;
	return tried.length < 2 || found === 0 ? undefined : found === 2;
}

function errorShape(json: unknown, text: string): string | undefined {
	if (!isRecord(json))
		return /<\w+[^>]*>/.test(text) ? 'html' : text.trim() === '' ? 'empty' : 'text';
	if (isRecord(json.error)) return 'object';
	if (Array.isArray(json.errors)) return 'errors';
	if (Array.isArray(json.message)) return 'messages';
	if (typeof json.message === 'string') return 'message';
	return typeof json.error === 'string' ? 'string' : undefined;
}
