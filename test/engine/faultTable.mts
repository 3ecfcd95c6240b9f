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
	const json = (body: string): Fault => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body,
	});
	const rejection = (status: number, shape: unknown = { error: { message: words } }): Fault => ({
		kind: 'status',
		status,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(shape),
	});
	const trickle = (of: 'json' | 'csv'): Fault => ({
		kind: 'trickle',
		of,
		everyMs: 1,
		begin: expiring,
	});
	const page = `<html><head><title>Sign in</title></head><body>${words}</body></html>`;
	return [
		{ name: '400', group: 'rejection', outcome: 'rejected', fault: rejection(400) },
		{
			name: '401',
			group: 'rejection',
			outcome: 'rejected',
			fault: rejection(401, { message: words }),
		},
		{
			name: '403',
			group: 'rejection',
			outcome: 'rejected',
			fault: rejection(403, { success: false, error: words }),
		},
		{
			name: '404',
			group: 'rejection',
			outcome: 'rejected',
			fault: rejection(404, { errors: [{ field: 'x', message: words }] }),
		},
		{ name: '409', group: 'rejection', outcome: 'rejected', fault: rejection(409) },
		{ name: '413', group: 'rejection', outcome: 'rejected', fault: rejection(413, words) },
		{
			name: '418',
			group: 'rejection',
			outcome: 'rejected',
			fault: { kind: 'status', status: 418, body: words },
		},
		{ name: '422', group: 'rejection', outcome: 'rejected', fault: rejection(422, [words]) },
		{
			name: '302 to another host',
			group: 'rejection',
			outcome: 'rejected',
			fault: { kind: 'redirect', location: `https://elsewhere.example.com/?token=${token}` },
		},
		{
			name: '200 with success: false',
			group: 'rejection',
			outcome: 'rejected',
			fault: json(JSON.stringify({ success: false, message: words })),
		},
		{
			name: '429 twice',
			group: 'rejection',
			outcome: 'notProcessed',
			times: 2,
			fault: { ...rejection(429), headers: { 'retry-after': '1' } } as Fault,
		},
		{ name: '500', group: 'connection', outcome: 'uncertain', fault: rejection(500) },
		{
			name: '502 with a page of HTML',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'html', status: 502 },
		},
		{
			name: '502 with 1 MB of tags that never end',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'status', status: 502, body: '<a'.repeat(524_288) },
		},
		{
			name: '503 with nothing',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'status', status: 503, body: '' },
		},
		{
			name: 'a connection reset before the work',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'reset' },
		},
		{
			name: 'a connection reset after the work',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'reset', when: 'after' },
		},
		{
			name: 'a connection cut in the middle of JSON',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'cut', of: 'json' },
		},
		{
			name: 'JSON that trickles',
			group: 'connection',
			outcome: 'uncertain',
			fault: trickle('json'),
		},
		{
			name: '200 with cut JSON',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'truncate' },
		},
		{
			name: '200 with a page of HTML',
			group: 'connection',
			outcome: 'uncertain',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: page },
		},
		{
			name: '200 with plain text',
			group: 'connection',
			outcome: 'uncertain',
			only: 'json',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' },
		},
		{
			name: 'a connection cut in the middle of a file',
			group: 'file',
			outcome: 'malformed',
			fault: { kind: 'cut' },
		},
		{
			name: 'a file that trickles',
			group: 'file',
			outcome: 'malformed',
			fault: trickle('csv'),
		},
		{
			name: 'an empty file',
			group: 'file',
			outcome: 'malformed',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/csv' }, body: '' },
		},
		{ name: '200 with nothing', group: 'body', outcome: 'malformed', fault: json('') },
		{
			name: '200 with an empty list as data',
			group: 'body',
			outcome: 'malformed',
			fault: json('{ "success": true, "data": [] }'),
		},
		...[
			['data: null', 'null'],
			['text as data', '"done"'],
			['a number as data', '42'],
			['true as data', 'true'],
			['an empty object as data', '{}'],
			['a list with holes', '[null, { "id": null }, 7, "x", [], { "id": "a" }]'],
			['a list under a name with holes', '{ "rows": [null, { "id": {} }, 7, "x", []] }'],
			['__proto__', '{ "__proto__": { "polluted": true }, "id": "a", "constructor": 1 }'],
			[
				'__proto__ in rows',
				'[{ "__proto__": { "polluted": true }, "id": "__proto__" }, { "id": "constructor" }]',
			],
		].map(
			([name, data = '']): FaultCase => ({
				name: `200 with ${name ?? ''}`,
				group: 'body',
				outcome: 'malformed',
				fault: json(`{ "success": true, "data": ${data} }`),
			}),
		),
		...[
			['null', 'null'],
			['false', 'false'],
			['a list', '[null]'],
			['an empty object', '{}'],
		].map(
			([name, body = '']): FaultCase => ({
				name: `200 with ${name ?? ''} and no envelope`,
				group: 'body',
				outcome: 'malformed',
				fault: json(body),
			}),
		),
		...[
			[
				'totalPages of a billion',
				'{ "total": 2, "page": 1, "limit": 2, "totalPages": 1000000000 }',
			],
			['a total of a billion', '{ "total": 1e9, "page": 1, "limit": 2 }'],
			[
				'a billion pages, and a total to match',
				'{ "total": 2e9, "page": 1, "limit": 2, "totalPages": 1e9 }',
			],
			['pages of size 0', '{ "total": 2, "page": 1, "limit": 0, "totalPages": 0 }'],
			['meta of texts', '{ "total": "many", "page": "x", "limit": "-1", "totalPages": "1e999" }'],
			['meta of null', 'null'],
		].map(
			([name, meta = '']): FaultCase => ({
				name: `200 with ${name ?? ''}`,
				group: 'pages',
				outcome: 'malformed',
				fault: json(`{ "success": true, "data": [{ "id": "a" }, { "id": "b" }], "meta": ${meta} }`),
			}),
		),
	];
}
