import type { IDataObject } from 'n8n-workflow';
import { clock } from '../nodes/ConversationalMessaging/api/clock.ts';
import { urlOf, type Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import { readRateInfo, type RateInfo } from '../nodes/ConversationalMessaging/api/rateHeaders.ts';
import { recordOf } from '../nodes/ConversationalMessaging/api/record.ts';
import { recordNames } from '../nodes/ConversationalMessaging/api/recordNames.ts';
import {
	findRows,
	isRecord,
	isRejection,
	metaOf,
	parseResponse,
	payloadOf,
	type Meta,
	type ServiceResponse,
} from '../nodes/ConversationalMessaging/api/response.ts';
import {
	CheckStopped,
	explain,
	type BodyKind,
	type CheckClient,
	type NoAnswer,
} from './client.mts';
import { documentedSize, LISTS, type ListName } from './lists.mts';
import { literal, say, type Shown } from './shown.mts';

export interface Params {
	path?: Record<string, string>;
	query?: Record<string, string | number>;
}

/** One response, or why there is none. */
export interface Reading {
	endpoint: Endpoint;
	params: Params;
	/** When the response was complete, in milliseconds since the epoch. */
	at: number;
	/** Undefined without a response. */
	response?: ServiceResponse;
	failure?: NoAnswer;
	rate: RateInfo;
}

/** A page of a list, as the nodes read it. */
export interface ListReading {
	reading: Reading;
	/** The rows that are records; [] if they were not found. */
	rows: IDataObject[];
	/** The number of rows, records or not. */
	length: number;
	/** Keys from `data` to the rows; undefined if the nodes do not find the rows. */
	path?: string[];
	meta: Meta;
}

/** Whether the nodes accept a response: a rejection may have the status 200, with `success: false`. */
export const isOk = ({ response }: Reading): boolean =>
	response !== undefined && !isRejection(response);

/** Whether a reading shows nothing: no response, no permission, or a failure of the service. */
export const isUnclear = ({ response }: Reading): boolean =>
	!response || response.status === 403 || response.status >= 500;

/** A record and the list that it was found in. */
export interface FirstRecord {
	list: ListReading;
	/** Undefined if the list has no record with an ID. */
	id?: string;
	reading?: Reading;
}

/** A page size above every maximum: the service reduces it to its own. */
export const LARGE_PAGE = 1000;

/** Without a response from this many routes in a row, the check ends. A single route may be slow. */
const MAX_UNANSWERED = 3;
const UNANSWERED: readonly NoAnswer[] = ['timeout', 'connection', 'host', 'certificate'];

/** The service during a check. A request that was sent once is not sent again: it answers everyone who asks. */
export class Service {
	readonly readings: Reading[] = [];
	private readonly known = new Map<string, Promise<Reading>>();
	/** Routes that did not respond in time, however few rows were requested: each wait would cost half a minute. */
	private readonly hanging = new Set<Endpoint>();
	/** Routes in a row without a response. */
	private readonly unanswered = new Set<Endpoint>();
	private stopped?: CheckStopped;

	constructor(
		private readonly client: Pick<CheckClient, 'get' | 'sent'>,
		private readonly onRequest: (sent: number) => void = () => undefined,
	) {}

	/**
	 * @param again reads the same once more; each number is one reading
	 * @throws CheckStopped
	 */
	async read(
		endpoint: Endpoint,
		params: Params = {},
		{ again = 0, body = 'json' }: { again?: number; body?: BodyKind } = {},
	): Promise<Reading> {
		const key = `${again} ${urlOf('', endpoint, params) ?? ''}`;
		const known = this.known.get(key);
		if (known) return await known;
		const reading = this.request(endpoint, params, body);
		this.known.set(key, reading);
		return await reading;
	}

	/** One page of a list. */
	async list(
		name: ListName,
		query: Record<string, string | number>,
		again = 0,
	): Promise<ListReading> {
		return listIn(await this.read(LISTS[name], { query }, { again }), [name]);
	}

	/**
	 * A list on a page as large as the service allows. If it rejects a large page, or sends more than a check reads, as
	 * the nodes request it, and at last in its default size. If it does not send a large page in time, in its default
	 * size at once.
	 */
	async largePage(name: ListName, again = 0): Promise<ListReading> {
		const size = documentedSize(LISTS[name]);
		if (size === undefined && name !== 'templates') return await this.list(name, {}, again);
		let limits = [LARGE_PAGE, ...(size === undefined ? [] : [size])];
		for (;;) {
			const [limit, ...smaller] = limits;
			const found = await this.list(name, limit === undefined ? {} : { limit }, again);
			const { response, failure } = found.reading;
			const mayWork = response
				? [400, 413, 422].includes(response.status) || response.status >= 500
				: failure === 'too large' || failure === 'timeout';
			if (!mayWork || limit === undefined) return found;
			limits = failure === 'timeout' ? [] : smaller;
		}
	}

	/** The first record of a list, read by its own route. */
	async firstRecord(name: ListName, endpoint: Endpoint): Promise<FirstRecord> {
		const list = await this.largePage(name);
		// Jobs may call their ID after their kind.
		const ids = list.rows.map((row) => recordOf({ data: row }, recordNames(endpoint)).id);
		const id = ids.find((found) => found !== undefined);
		return id === undefined
			? { list }
			: { list, id, reading: await this.read(endpoint, { path: { id } }) };
	}

	private async request(endpoint: Endpoint, params: Params, body: BodyKind): Promise<Reading> {
		if (this.stopped) throw this.stopped;
		const answer = this.hanging.has(endpoint)
			? 'timeout'
			: await this.client.get(endpoint, params, body).catch((error: unknown) => {
					if (error instanceof CheckStopped) this.stopped = error;
					throw error;
				});
		const reading: Reading = { endpoint, params, at: clock.now(), rate: {} };
		if (typeof answer === 'string') reading.failure = answer;
		else {
			const { status, headers, text } = answer;
			reading.response = parseResponse(status, headers, text);
			reading.rate = readRateInfo(headers, reading.at);
		}
		this.readings.push(reading);
		this.onRequest(this.client.sent);
		const isUnanswered = reading.failure && UNANSWERED.includes(reading.failure);
		if (isUnanswered) this.unanswered.add(endpoint);
		else this.unanswered.clear();
		// A large page may be slow where a small one is not.
		if (reading.failure === 'timeout' && params.query?.limit !== LARGE_PAGE)
			this.hanging.add(endpoint);
		if (reading.failure && this.unanswered.size >= MAX_UNANSWERED) {
			this.stopped = explain(reading.failure);
			throw this.stopped;
		}
		return reading;
	}
}

/** The rows of a response, found as the nodes find them. @param rowsNames likely names of the rows */
export function listIn(reading: Reading, rowsNames: readonly string[]): ListReading {
	const nothing = { reading, rows: [], length: 0, meta: {} };
	if (!isOk(reading) || isUnreadable(reading)) return nothing;
	const json = reading.response?.json;
	const found = findRows(json, rowsNames);
	if (!found) return nothing;
	return {
		reading,
		rows: found.rows.filter(isRecord),
		length: found.rows.length,
		path: found.path,
		meta: metaOf(json, found.path),
	};
}

/** Whether a response has a body that is not JSON. */
export const isUnreadable = ({ response }: Reading): boolean =>
	response?.json === undefined && response?.text.trim() !== '';

/** Whether a response has no data: null, or no body. */
export const isEmpty = ({ response }: Reading): boolean => {
	const payload = payloadOf(response?.json);
	return payload === null || payload === undefined;
};

/** IDs of rows, as the nodes read them. */
export const idsOf = (rows: readonly IDataObject[]): string[] =>
	rows.map(idOf).filter((id) => id !== undefined);

/** Routes are names of this program, whatever the service returns. */
export const routeOf = ({ endpoint }: Reading): Shown => literal(endpoint);

/** Why a reading has nothing to judge. */
export function whyNot(reading: Reading): Shown {
	const { response, failure = 'connection' } = reading;
	const route = routeOf(reading);
	if (!response) return say`${route}: ${literal(NO_ANSWER[failure])}`;
	if (response.status === 403) return say`${route}: no permission (403)`;
	if (response.status < 300 && isRejection(response))
		return say`${route}: ${response.status} with success: false`;
	return say`${route}: ${response.status}${literal(response.json === undefined ? ', not JSON' : '')}`;
}

/** As the report shows it. */
const NO_ANSWER = {
	'too large': 'the response is too large',
	timeout: 'no response in time',
	connection: 'the connection was interrupted',
	host: 'the host was not found',
	certificate: 'the certificate is not trusted',
	redirect: 'a redirect, which is not followed',
	'limit of requests': 'not read, because the check has sent all its requests',
	path: 'an ID that cannot be part of a path',
} as const satisfies Record<NoAnswer, string>;
