import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { urlOf } from '../../nodes/ConversationalMessaging/api/request.ts';
import {
	listedRecord,
	recordNames,
	findRows,
	isRecord,
	isRejection,
	parseResponse,
	type ServiceResponse,
} from '../../nodes/ConversationalMessaging/api/response/response.ts';
import {
	CheckStopped,
	NO_ANSWER,
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

/** One response as the nodes read it, or why there is none. */
export interface Reading {
	endpoint: Endpoint;
	/** Undefined without a response. */
	response?: ServiceResponse;
	/** Why there is none. */
	failure?: NoAnswer;
	/** Why it shows nothing: no response, no permission, a rejection, no JSON. Undefined if it can be read. */
	problem?: Shown;
	/** Whether the service rejects what the nodes send, so that it is not a matter of permission or time. */
	isRejected: boolean;
	/** The rows that are records; undefined if no rows were found. */
	rows?: IDataObject[];
}

/** Without a response to this many requests in a row, the check ends. */
const MAX_UNANSWERED = 3;

/** The service during a check. A request that was sent once is not sent again: it answers everyone who asks. */
export class Service {
	private readonly known = new Map<string, Promise<Reading>>();
	private unanswered = 0;
	private stopped?: CheckStopped;

	constructor(private readonly client: Pick<CheckClient, 'get'>) {}

	/** @param rowsNames of the rows, if it is a list. @throws CheckStopped */
	async read(
		endpoint: Endpoint,
		params: Params = {},
		rowsNames: readonly string[] = [],
	): Promise<Reading> {
		const key = urlOf('', endpoint, params) ?? '';
		const reading = this.known.get(key) ?? this.request(endpoint, params, rowsNames);
		this.known.set(key, reading);
		return await reading;
	}

	/** One page of a list; the first one as the nodes request it, if no query is given. */
	async list(name: ListName, query?: Params['query']): Promise<Reading> {
		const [endpoint, limit] = LISTS[name];
		const usual = limit === undefined ? undefined : { limit };
		return await this.read(endpoint, { query: query ?? usual }, [name]);
	}

	private async request(
		endpoint: Endpoint,
		params: Params,
		rowsNames: readonly string[],
	): Promise<Reading> {
		if (this.stopped) throw this.stopped;
		const answer = await this.client.get(endpoint, params).catch((error: unknown) => {
			if (error instanceof CheckStopped) this.stopped = error;
			throw error;
		});
		if (typeof answer === 'string') return this.failed(endpoint, answer);
		this.unanswered = 0;
		const response = parseResponse(answer.status, answer.headers, answer.text);
		const found = findRows(response.json, rowsNames, recordNames(endpoint));
		return {
			endpoint,
			response,
			problem: problemIn(endpoint, response),
			isRejected: [400, 404, 413, 422].includes(response.status),
			rows: found?.rows.filter(isRecord),
		};
	}

	private failed(endpoint: Endpoint, failure: NoAnswer): Reading {
		this.unanswered = ['redirect', 'tooLarge', 'path'].includes(failure) ? 0 : this.unanswered + 1;
		if (this.unanswered >= MAX_UNANSWERED) throw (this.stopped = CheckStopped.because(failure));
		const problem = say`${literal(endpoint)}: ${literal(NO_ANSWER[failure])}`;
		return { endpoint, failure, problem, isRejected: false };
	}
}

function problemIn(endpoint: Endpoint, response: ServiceResponse): Shown | undefined {
	const route = literal(endpoint);
	const { status, json, text } = response;
	if (status === 403) return say`${route}: no permission (403)`;
	if (status >= 300) return say`${route}: ${status}`;
	if (isRejection(response)) return say`${route}: ${status} with success: false`;
	return json === undefined && text.trim() !== ''
		? say`${route}: the response is not JSON`
		: undefined;
}

/** IDs of rows, as the nodes read them. */
export const idsOf = ({ endpoint, rows = [] }: Reading): string[] =>
	rows.flatMap((row) => listedRecord(row, endpoint)?.id ?? []);
