import type { Fault } from '../../sandbox/faults.mts';

/**
 * The outcome of a request, as its sender sees it:
 *
 * - `rejected`: it was rejected and has no effect. It is not sent again.
 * - `notProcessed`: it was rejected before it had any effect. It is sent again, whether it reads or writes.
 * - `uncertain`: it may have taken effect. A read is sent again, a write never.
 * - `malformed`: it succeeded, but the response is not what the document describes.
 */
type RequestOutcome = 'rejected' | 'notProcessed' | 'uncertain' | 'malformed';

/** Faults of one kind, which are read by the same code. Files and pages meet those of their own, too. */
export type FaultGroup = 'rejection' | 'connection' | 'body' | 'file' | 'pages';

export interface FaultCase {
	name: string;
	group: FaultGroup;
	outcome: RequestOutcome;
	fault: Fault;
	/** How many requests it affects; all of them if missing. */
	times?: number;
	/** Text is what a file consists of. */
	only?: 'json';
}

/** What follows for the items, and how often a read is sent in total. A write is sent again only if it was not processed. */
export const EXPECTED: Record<
	RequestOutcome,
	{ items: 'fail' | 'succeed' | 'any'; reads: number }
> = {
	rejected: { items: 'fail', reads: 1 },
	notProcessed: { items: 'succeed', reads: 3 },
	uncertain: { items: 'fail', reads: 3 },
	// The operations differ in what they need of a response.
	malformed: { items: 'any', reads: 1 },
};

/**
 * All faults of a request.
 *
 * @param token part of the service's messages, because a careless service may repeat it
 * @param expiring returns what ends the time of the requests that are under way then
 */
export function faultTable(token: string, expiring: () => () => void): FaultCase[] {
	// Long enough that texts are cut in the middle of a token.
	const words = `No, because ${`Bearer ${token} `.repeat(40)}`;
	const respond = (status: number, body: string, type = 'application/json'): Fault => ({
		kind: 'status',
		status,
		headers: { 'content-type': type },
		body,
	});
	const json = (body: string): Fault => respond(200, body);
	const rejection = (status: number, shape: unknown = { error: { message: words } }): Fault =>
		respond(status, JSON.stringify(shape));
	const trickle = (of: 'json' | 'csv'): Fault => ({
		kind: 'trickle',
		of,
		everyMs: 1,
		begin: expiring,
	});
	const page = `<html><head><title>Sign in</title></head><body>${words}</body></html>`;
	const elsewhere = `https://elsewhere.example.com/?token=${token}`;
	const cases = (
		group: FaultGroup,
		outcome: RequestOutcome,
		faults: Record<string, Fault>,
	): FaultCase[] =>
		Object.entries(faults).map(([name, fault]) => ({ name, group, outcome, fault }));
	const bodies = (group: FaultGroup, named: Record<string, string>): FaultCase[] =>
		cases(
			group,
			'malformed',
			Object.fromEntries(
				Object.entries(named).map(([name, body]) => [`200 with ${name}`, json(body)]),
			),
		);
	const envelope = (data: string) => `{ "success": true, "data": ${data} }`;
	const described = (meta: string) => envelope(`[{ "id": "a" }, { "id": "b" }], "meta": ${meta}`);

	return [
		...cases('rejection', 'rejected', {
			'400': rejection(400),
			'401': rejection(401, { message: words }),
			'403': rejection(403, { success: false, error: words }),
			'404': rejection(404, { errors: [{ field: 'x', message: words }] }),
			'409': rejection(409),
			'413': rejection(413, words),
			'418': { kind: 'status', status: 418, body: words },
			'422': rejection(422, [words]),
			'302 to another host': { kind: 'redirect', location: elsewhere },
			'200 with success: false': rejection(200, { success: false, message: words }),
		}),
		{
			...{ name: '429 twice', group: 'rejection', outcome: 'notProcessed', times: 2 },
			fault: { ...rejection(429), headers: { 'retry-after': '1' } } as Fault,
		},
		...cases('connection', 'uncertain', {
			'500': rejection(500),
			'502 with a page of HTML': { kind: 'html', status: 502 },
			'502 with 1 MB of tags that never end': {
				kind: 'status',
				status: 502,
				body: '<a'.repeat(524_288),
			},
			'503 with nothing': { kind: 'status', status: 503, body: '' },
			'a connection reset before the work': { kind: 'reset' },
			'a connection reset after the work': { kind: 'reset', when: 'after' },
			'a connection cut in the middle of JSON': { kind: 'cut', of: 'json' },
			'JSON that trickles': trickle('json'),
			'200 with cut JSON': { kind: 'truncate' },
			'200 with a page of HTML': respond(200, page, 'text/html'),
		}),
		{
			...{ name: '200 with plain text', group: 'connection', outcome: 'uncertain', only: 'json' },
			fault: respond(200, 'OK', 'text/plain'),
		},
		...cases('file', 'malformed', {
			'a connection cut in the middle of a file': { kind: 'cut' },
			'a file that trickles': trickle('csv'),
			'an empty file': respond(200, '', 'text/csv'),
		}),
		...bodies('body', {
			nothing: '',
			'an empty list as data': envelope('[]'),
			'data: null': envelope('null'),
			'text as data': envelope('"done"'),
			'a number as data': envelope('42'),
			'true as data': envelope('true'),
			'an empty object as data': envelope('{}'),
			'a list with holes': envelope('[null, { "id": null }, 7, "x", [], { "id": "a" }]'),
			'a list under a name with holes': envelope('{ "rows": [null, { "id": {} }, 7, "x", []] }'),
			'__proto__ in a record': envelope(
				'{ "__proto__": { "polluted": true }, "id": "a", "constructor": 1 }',
			),
			'__proto__ in rows': envelope(
				'[{ "__proto__": { "polluted": true }, "id": "__proto__" }, { "id": "constructor" }]',
			),
			'null and no envelope': 'null',
			'false and no envelope': 'false',
			'a list and no envelope': '[null]',
			'an empty object and no envelope': '{}',
		}),
		...bodies('pages', {
			'totalPages of a billion': described(
				'{ "total": 2, "page": 1, "limit": 2, "totalPages": 1000000000 }',
			),
			'a total of a billion': described('{ "total": 1e9, "page": 1, "limit": 2 }'),
			'a billion pages, and a total to match': described(
				'{ "total": 2e9, "page": 1, "limit": 2, "totalPages": 1e9 }',
			),
			'pages of size 0': described('{ "total": 2, "page": 1, "limit": 0, "totalPages": 0 }'),
			'meta of texts': described(
				'{ "total": "many", "page": "x", "limit": "-1", "totalPages": "1e999" }',
			),
			'meta of null': described('null'),
		}),
	];
}
