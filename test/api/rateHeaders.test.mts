import {
	readRateInfo,
	type Headers,
} from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 0, 0);
const IN_42_S = NOW / 1000 + 42;

test.each<[what: string, headers: Headers, retryInMs: number | undefined]>([
	['seconds', { 'retry-after': '42' }, 42_000],
	['any case, with spaces', { 'Retry-After': ' 42 ' }, 42_000],
	['a list, as Node.js gives repeated headers', { 'retry-after': ['42', '50'] }, 42_000],
	['an HTTP date', { 'retry-after': 'Thu, 15 Jan 2026 09:00:42 GMT' }, 42_000],
	['a date that has passed', { 'retry-after': 'Thu, 15 Jan 2026 08:59:00 GMT' }, 0],
	['epoch seconds', { 'retry-after': String(IN_42_S) }, 42_000],
	['epoch milliseconds', { 'retry-after': String(IN_42_S * 1000) }, 42_000],
	['epoch seconds that have passed', { 'retry-after': String(NOW / 1000 - 42) }, 0],
	['negative seconds', { 'retry-after': '-42' }, 0],
	['a named throttler', { 'retry-after-short': '42' }, 42_000],
	['the longest of several', { 'retry-after-a': '1', 'retry-after-b': '42' }, 42_000],
	['the longest of several, in any order', { 'retry-after-b': '42', 'retry-after-a': '1' }, 42_000],
	['a day', { 'retry-after': '86400' }, 86_400_000],
	['two days', { 'retry-after': '172800' }, 172_800_000],
	['a date ten minutes ahead', { 'retry-after': 'Thu, 15 Jan 2026 09:10:00 GMT' }, 600_000],
	['epoch seconds ten minutes ahead', { 'retry-after': String(NOW / 1000 + 600) }, 600_000],
	['no time', { 'retry-after': 'soon' }, undefined],
	['nothing', { 'retry-after': '  ' }, undefined],
	['another name', { 'x-retry-after': '42', 'retry-aftermath': '42' }, undefined],
])('Retry-After is read: %s', (_what, headers, retryInMs) => {
	expect(readRateInfo(headers, NOW)).toEqual({ retryInMs });
});

describe('the limit, the remaining requests and the reset', () => {
	const ALL = { limit: 60, remaining: 3, resetInMs: 42_000 };
	/** The reset of a service with three requests left. */
	const resetIn = (reset: string) => ({
		'x-ratelimit-limit': '60',
		'x-ratelimit-remaining': '3',
		'x-ratelimit-reset': reset,
	});

	test.each<[what: string, headers: Headers]>([
		['x-ratelimit-*', resetIn('42')],
		[
			'ratelimit-*, in any case',
			{ 'RateLimit-Limit': '60', 'RateLimit-Remaining': '3', 'RateLimit-Reset': '42' },
		],
		[
			'x-rate-limit-*',
			{ 'x-rate-limit-limit': '60', 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': '42' },
		],
		['epoch seconds', resetIn(String(IN_42_S))],
		['epoch milliseconds', resetIn(String(IN_42_S * 1000))],
		['a date', resetIn('2026-01-15T09:00:42Z')],
		['the combined field of older drafts', { ratelimit: 'limit=60, remaining=3, reset=42' }],
		['spaces in it', { ratelimit: 'limit = 60, remaining = 3, reset = 42' }],
		[
			'the throttler with the fewest remaining requests',
			{
				'x-ratelimit-limit-short': '60',
				'x-ratelimit-remaining-short': '3',
				'x-ratelimit-reset-short': '42',
				'x-ratelimit-limit-long': '1000',
				'x-ratelimit-remaining-long': '900',
				'x-ratelimit-reset-long': '59',
			},
		],
		[
			'the throttler with the fewest remaining requests, in any order',
			{
				'x-ratelimit-limit-long': '1000',
				'x-ratelimit-remaining-long': '900',
				'x-ratelimit-reset-long': '59',
				'x-ratelimit-limit-short': '60',
				'x-ratelimit-remaining-short': '3',
				'x-ratelimit-reset-short': '42',
			},
		],
	])('are read from %s', (_what, headers) => {
		expect(readRateInfo(headers, NOW)).toEqual(ALL);
	});

	test.each<[what: string, headers: Headers, info: object]>([
		[
			'the structured field of newer drafts',
			{ ratelimit: '"default";r=17;t=42', 'ratelimit-policy': '"default";q=60;w=60' },
			{ remaining: 17, resetInMs: 42_000 },
		],
		['no reset', { ratelimit: '"minute";r=3' }, { remaining: 3 }],
		['no limit', { 'x-ratelimit-limit': '-1', 'x-ratelimit-remaining': '-1' }, {}],
		[
			'no limit for one of several throttlers',
			{ 'x-ratelimit-remaining-a': '-1', 'x-ratelimit-remaining-b': '3' },
			{ remaining: 3 },
		],
		['no limit, in the combined field', { ratelimit: 'limit=-1, remaining=-1' }, {}],
		['a reset alone', { 'x-ratelimit-reset': '42' }, { resetInMs: 42_000 }],
		[
			'a limit that is no number',
			{ 'ratelimit-limit': '60, 60;w=60', 'ratelimit-remaining': '3' },
			{ remaining: 3 },
		],
		[
			'a limit of 0',
			{ 'ratelimit-limit': '0', 'ratelimit-remaining': '3', ratelimit: 'limit=0, remaining=3' },
			{ remaining: 3 },
		],
		['no numbers', { 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' }, {}],
		[
			'other headers',
			{ 'my-ratelimit-remaining': '3', 'x-ratelimit-remaining_total': '3', 'my-ratelimit': 'r=3' },
			{},
		],
	])('are read as far as they are there: %s', (_what, headers, info) => {
		expect(readRateInfo(headers, NOW)).toEqual(info);
	});

	test.each<[form: string, headers: (seconds: number) => Headers]>([
		['seconds', (seconds) => resetIn(String(seconds))],
		['epoch seconds', (seconds) => resetIn(String(NOW / 1000 + seconds))],
		['epoch milliseconds', (seconds) => resetIn(String(NOW + seconds * 1000))],
		['a date', (seconds) => resetIn(new Date(NOW + seconds * 1000).toISOString())],
		['the older draft', (seconds) => ({ ratelimit: `remaining=0, reset=${seconds}` })],
		['the newer draft', (seconds) => ({ ratelimit: `"default";r=0;t=${seconds}` })],
	])('a reset more than one window away counts as one window: %s', (_form, headers) => {
		const resetInMs = (seconds: number) => readRateInfo(headers(seconds), NOW).resetInMs;
		expect([60, 61, 90_000].map(resetInMs)).toStrictEqual([60_000, 60_000, 60_000]);
	});
});
