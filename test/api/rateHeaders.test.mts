import {
	readRateInfo,
	type Headers,
	WINDOW_MS,
} from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 0, 0);
const SECONDS = NOW / 1000;

test.each<[what: string, headers: Headers, retryInMs: number | undefined]>([
	['seconds', { 'retry-after': '42' }, 42_000],
	['any case, with spaces', { 'Retry-After': ' 42 ' }, 42_000],
	['a list, as Node.js gives repeated headers', { 'retry-after': ['42', '50'] }, 42_000],
	['an HTTP date', { 'retry-after': 'Thu, 15 Jan 2026 09:10:00 GMT' }, 600_000],
	['a date that has passed', { 'retry-after': 'Thu, 15 Jan 2026 08:59:00 GMT' }, 0],
	['epoch seconds', { 'retry-after': String(SECONDS + 600) }, 600_000],
	['epoch milliseconds', { 'retry-after': String(NOW + 42_000) }, 42_000],
	['epoch seconds that have passed', { 'retry-after': String(SECONDS - 42) }, 0],
	['negative seconds', { 'retry-after': '-42' }, 0],
	['a named throttler', { 'retry-after-short': '42' }, 42_000],
	['the longest of several', { 'retry-after-a': '1', 'retry-after-b': '42' }, 42_000],
	['the longest of several, in any order', { 'retry-after-b': '42', 'retry-after-a': '1' }, 42_000],
	['milliseconds', { 'retry-after-ms': '3000' }, 3_000],
	['both', { 'retry-after': '3', 'retry-after-ms': '2750' }, 3_000],
	['two days', { 'retry-after': '172800' }, 172_800_000],
	['no time', { 'retry-after': 'soon' }, undefined],
	['nothing', { 'retry-after': '  ' }, undefined],
	['another name', { 'x-retry-after': '42', 'retry-aftermath': '42' }, undefined],
])('Retry-After is read: %s', (_what, headers, retryInMs) => {
	expect(readRateInfo(headers, NOW)).toEqual({ retryInMs });
});

/** The headers of a throttler. */
const throttler = (prefix: string, [limit, remaining, reset]: unknown[], suffix = '') => ({
	[`${prefix}-limit${suffix}`]: String(limit),
	[`${prefix}-remaining${suffix}`]: String(remaining),
	[`${prefix}-reset${suffix}`]: String(reset),
});
const SHORT = throttler('x-ratelimit', [60, 3, 24], '-short');
const LONG = throttler('x-ratelimit', [1_000, 900, 59], '-long');
const ALL = { limit: 60, remaining: 3, resetInMs: 24_000 };

test.each<[what: string, headers: Headers, info: object]>([
	['x-ratelimit-*', throttler('x-ratelimit', [60, 3, 24]), ALL],
	['ratelimit-*, in any case', throttler('RateLimit', [60, 3, 24]), ALL],
	['x-rate-limit-*', throttler('x-rate-limit', [60, 3, 24]), ALL],
	['the throttler with the fewest remaining requests', { ...SHORT, ...LONG }, ALL],
	['the throttler with the fewest, in any order', { ...LONG, ...SHORT }, ALL],
	['the combined field of older drafts', { ratelimit: 'limit=60, remaining=3, reset=24' }, ALL],
	['spaces in it', { ratelimit: 'limit = 60, remaining = 3, reset = 24' }, ALL],
	[
		'the structured field of newer drafts',
		{ ratelimit: '"default";r=17;t=24', 'ratelimit-policy': '"default";q=60;w=60' },
		{ remaining: 17, resetInMs: 24_000 },
	],
	[
		'the throttler with the fewest in one field',
		{ ratelimit: '"day";r=900;t=40000, "minute";r=17;t=24' },
		{ remaining: 17, resetInMs: 24_000 },
	],
	[
		'the combined field beside the others',
		{ ...throttler('x-ratelimit', [60, 3, 24]), 'x-ratelimit': '60', ratelimit: '"a";r=3' },
		ALL,
	],
	['no reset', { ratelimit: '"minute";r=3' }, { remaining: 3 }],
	[
		'the reset of another throttler, if this one has none',
		{ 'x-ratelimit-remaining-minute': '3', 'ratelimit-remaining': '3', 'ratelimit-reset': '24' },
		{ remaining: 3, resetInMs: 24_000 },
	],
	['a reset alone', { 'x-ratelimit-reset': '24' }, { resetInMs: 24_000 }],
	['no limit', { 'x-ratelimit-limit': '-1', 'x-ratelimit-remaining': '-1' }, {}],
	['no limit, in the combined field', { ratelimit: 'limit=-1, remaining=-1' }, {}],
	[
		'no limit for one of several throttlers',
		{ 'x-ratelimit-remaining-a': '-1', 'x-ratelimit-remaining-b': '3' },
		{ remaining: 3 },
	],
	[
		'a limit that is no number',
		{ 'ratelimit-limit': '60, 60;w=60', 'ratelimit-remaining': '3' },
		{ remaining: 3 },
	],
	['a limit of 0', { 'ratelimit-limit': '0', 'ratelimit-remaining': '3' }, { remaining: 3 }],
	['a limit of 0, in the combined field', { ratelimit: 'limit=0, remaining=3' }, { remaining: 3 }],
	['no numbers', { 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' }, {}],
	[
		'other headers',
		{ 'my-ratelimit-remaining': '3', 'x-ratelimit-remaining_total': '3', 'my-ratelimit': 'r=3' },
		{},
	],
])('the limit, the remaining requests and the reset are read: %s', (_what, headers, info) => {
	expect(readRateInfo(headers, NOW)).toEqual(info);
});

test.each<[form: string, headers: (seconds: number) => Headers]>([
	['seconds', (seconds) => ({ 'ratelimit-reset': String(seconds) })],
	['epoch seconds', (seconds) => ({ 'ratelimit-reset': String(SECONDS + seconds) })],
	['epoch milliseconds', (seconds) => ({ 'ratelimit-reset': String(NOW + seconds * 1000) })],
	['a date', (seconds) => ({ 'ratelimit-reset': new Date(NOW + seconds * 1000).toISOString() })],
	['the older draft', (seconds) => ({ ratelimit: `remaining=0, reset=${seconds}` })],
	['the newer draft', (seconds) => ({ ratelimit: `"default";r=0;t=${seconds}` })],
])('a reset more than one window away counts as one window: %s', (_form, headers) => {
	const resetInMs = (seconds: number) => readRateInfo(headers(seconds), NOW).resetInMs;
	const window = WINDOW_MS / 1000;
	expect([window - 9, window, window + 1, 90_000].map(resetInMs)).toStrictEqual([
		WINDOW_MS - 9_000,
		...Array<number>(3).fill(WINDOW_MS),
	]);
});
