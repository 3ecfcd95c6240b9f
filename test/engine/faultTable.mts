import type { Fault } from '../../sandbox/faults.mts';

/**
 * The outcome of a request, as its sender sees it:
 *
 * - `refused`: it was rejected and has no effect. It is not sent again.
 * - `early`: it was rejected before it had any effect. It is sent again, whether it reads or writes.
 * - `doubtful`: it may have taken effect. A read is sent again, a write never.
 * - `answered`: it succeeded, but the response is not what the document describes.
 */
export type Fate = 'refused' | 'early' | 'doubtful' | 'answered';

export interface FaultCase {
	name: string;
	fate: Fate;
	fault: Fault;
	/** How many requests it affects; all of them if missing. */
	times?: number;
	/** Only if the response is a file, if it is not one, or if it is a page of a list. */
	only?: 'file' | 'json' | 'pages';
}

/** How often a read is sent in total. */
export const TRIES: Record<Fate, number> = { refused: 1, early: 3, doubtful: 3, answered: 1 };

/**
 * All faults of a request.
 *
 * @param token part of the service's messages, because a careless service may repeat it
 */
export function faultTable(token: string): FaultCase[] {
	// Long enough that texts are cut in the middle of a token.
	const words = `No, because ${`Bearer ${token} `.repeat(40)}`;
	const json = (body: string): Fault => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body,
	});
	const refusal = (status: number, shape: unknown = { error: { message: words } }): Fault => ({
		kind: 'status',
		status,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(shape),
	});
	const page = `<html><head><title>Sign in</title></head><body>${words}</body></html>`;
	return [
		{ name: '400', fate: 'refused', fault: refusal(400) },
		{ name: '401', fate: 'refused', fault: refusal(401, { message: words }) },
		{ name: '403', fate: 'refused', fault: refusal(403, { success: false, error: words }) },
		{
			name: '404',
			fate: 'refused',
			fault: refusal(404, { errors: [{ field: 'x', message: words }] }),
		},
		{ name: '409', fate: 'refused', fault: refusal(409) },
		{ name: '413', fate: 'refused', fault: refusal(413, words) },
		{ name: '418', fate: 'refused', fault: { kind: 'status', status: 418, body: words } },
		{ name: '422', fate: 'refused', fault: refusal(422, [words]) },
		{
			name: '302 to another host',
			fate: 'refused',
			fault: { kind: 'redirect', location: `https://elsewhere.example.com/?token=${token}` },
		},
		{
			name: '200 with success: false',
			fate: 'refused',
			fault: json(JSON.stringify({ success: false, message: words })),
		},
		{
			name: '429 twice',
			fate: 'early',
			times: 2,
			fault: { ...refusal(429), headers: { 'retry-after': '1' } } as Fault,
		},
		{ name: '500', fate: 'doubtful', fault: refusal(500) },
		{ name: '502 with a page of HTML', fate: 'doubtful', fault: { kind: 'html', status: 502 } },
		{
			name: '503 with nothing',
			fate: 'doubtful',
			fault: { kind: 'status', status: 503, body: '' },
		},
		{ name: 'a connection reset before the work', fate: 'doubtful', fault: { kind: 'reset' } },
		{
			name: 'a connection reset after the work',
			fate: 'doubtful',
			fault: { kind: 'reset', when: 'after' },
		},
		{
			name: 'a connection cut in the middle of JSON',
			fate: 'doubtful',
			fault: { kind: 'cut', of: 'json' },
		},
		{ name: '200 with cut JSON', fate: 'doubtful', fault: { kind: 'truncate' } },
		{
			name: '200 with a page of HTML',
			fate: 'doubtful',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: page },
		},
		{
			name: '200 with plain text',
			fate: 'doubtful',
			only: 'json',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' },
		},
		{
			name: 'a connection cut in the middle of a file',
			fate: 'answered',
			only: 'file',
			fault: { kind: 'cut' },
		},
		{
			name: 'an empty file',
			fate: 'answered',
			only: 'file',
			fault: { kind: 'status', status: 200, headers: { 'content-type': 'text/csv' }, body: '' },
		},
		{ name: '200 with nothing', fate: 'answered', fault: json('') },
		...[
			['data: null', 'null'],
			['text as data', '"done"'],
			['a number as data', '42'],
			['true as data', 'true'],
			['an empty list as data', '[]'],
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
				fate: 'answered',
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
				fate: 'answered',
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
				fate: 'answered',
				only: 'pages',
				fault: json(`{ "success": true, "data": [{ "id": "a" }, { "id": "b" }], "meta": ${meta} }`),
			}),
		),
	];
}
