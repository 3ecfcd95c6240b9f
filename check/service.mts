import type { IDataObject } from 'n8n-workflow';
import { urlOf, type Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import {
	findRows,
	idOf,
	isRecord,
	isRejection,
	metaOf,
	parseResponse,
	payloadOf,
	type Meta,
	type ServiceResponse,
} from '../nodes/ConversationalMessaging/api/response/response.ts';
import {
	CheckStopped,
	noAnswerText,
	type CheckClient,
	type NoAnswer,
	type Params,
} from './client.mts';
import { literal, say, type Shown } from './shown.mts';

/** All lists that need no record first, with the page size that the nodes request, if the list has one. */
export const LISTS = {
	tickets: ['GET /tickets', 200],
	chats: ['GET /chats', 100],
	contacts: ['GET /contacts', 200],
	broadcasts: ['GET /broadcasts', 200],
	imports: ['GET /contacts/imports', 200],
	segments: ['GET /segments', undefined],
	templates: ['GET /templates', 1000],
	flows: ['GET /flows', undefined],
	channels: ['GET /channels', undefined],
	users: ['GET /users', undefined],
} as const satisfies Record<string, [Endpoint, number | undefined]>;

export type ListName = keyof typeof LISTS;

export const LIST_NAMES = Object.keys(LISTS) as ListName[];

/** One response, or why there is none. */
export interface Reading {
	endpoint: Endpoint;
	/** Undefined without a response. */
	response?: ServiceResponse;
	failure?: NoAnswer;
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

/** Without a response to this many requests in a row, the check ends. */
const MAX_UNANSWERED = 3;
const UNANSWERED: readonly unknown[] = ['timeout', 'connection', 'host', 'certificate'];

/** The service during a check. A request that was sent once is not sent again: it answers everyone who asks. */
export class Service {
	readonly readings: Reading[] = [];
	private readonly known = new Map<string, Promise<Reading>>();
	private unanswered = 0;
	private stopped?: CheckStopped;

	constructor(private readonly client: Pick<CheckClient, 'get'>) {}

	/** @throws CheckStopped */
	async read(endpoint: Endpoint, params: Params = {}): Promise<Reading> {
		const key = urlOf('', endpoint, params) ?? '';
		const known = this.known.get(key);
		if (known) return await known;
		const reading = this.request(endpoint, params);
		this.known.set(key, reading);
		return await reading;
	}

	/** One page of a list; the first one as the nodes request it, if no query is given. */
	async list(name: ListName, query?: Params['query']): Promise<ListReading> {
		const [endpoint, limit] = LISTS[name];
		const usual = { ...(limit !== undefined && { limit }) };
		return listIn(await this.read(endpoint, { query: query ?? usual }), [name]);
	}

	private async request(endpoint: Endpoint, params: Params): Promise<Reading> {
		if (this.stopped) throw this.stopped;
		const answer = await this.client.get(endpoint, params).catch((error: unknown) => {
			if (error instanceof CheckStopped) this.stopped = error;
			throw error;
		});
		const reading: Reading = { endpoint };
		if (typeof answer === 'string') reading.failure = answer;
		else reading.response = parseResponse(answer.status, answer.headers, answer.text);
		this.readings.push(reading);
		this.unanswered = UNANSWERED.includes(reading.failure) ? this.unanswered + 1 : 0;
		if (reading.failure && this.unanswered >= MAX_UNANSWERED) {
			this.stopped = CheckStopped.because(reading.failure);
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

/** Whether the nodes accept a response: a rejection may have the status 200, with `success: false`. */
export const isOk = ({ response }: Reading): boolean =>
	response !== undefined && !isRejection(response);

/** Whether a reading shows nothing: no response, no permission, or a failure of the service. */
export const isUnclear = ({ response }: Reading): boolean =>
	!response || response.status === 403 || response.status >= 500;

/** Whether a response has a body that is not JSON. */
export const isUnreadable = ({ response }: Reading): boolean =>
	response?.json === undefined && response?.text.trim() !== '';

/** Whether a response has no data: null, or no body. */
export const isEmpty = ({ response }: Reading): boolean =>
	(payloadOf(response?.json) ?? null) === null;

/** IDs of rows, as the nodes read them. */
export const idsOf = (rows: readonly IDataObject[]): string[] =>
	rows.map(idOf).filter((id) => id !== undefined);

/** Routes are names of this program, whatever the service returns. */
export const routeOf = ({ endpoint }: Reading): Shown => literal(endpoint);

/** Why a reading has nothing to judge. */
export function whyNot(reading: Reading): Shown {
	const { response, failure = 'connection' } = reading;
	const route = routeOf(reading);
	if (!response) return say`${route}: ${literal(noAnswerText(failure))}`;
	if (response.status === 403) return say`${route}: no permission (403)`;
	if (response.status < 300 && isRejection(response))
		return say`${route}: ${response.status} with success: false`;
	return say`${route}: ${response.status}${literal(response.json === undefined ? ', not JSON' : '')}`;
}
