import { readRateInfo } from '../../nodes/ConversationalMessaging/api/rateHeaders.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 0, 0);
const IN_42_S = NOW / 1000 + 42;

describe('Retry-After', () => {
	test.each([
		['seconds', { 'retry-after': '42' }, 42_000],
		['any case', { 'Retry-After': '42' }, 42_000],
		['a list, as Node.js gives repeated headers', { 'retry-after': ['42', '50'] }, 42_000],
		['an HTTP date', { 'retry-after': 'Thu, 15 Jan 2026 09:00:42 GMT' }, 42_000],
		['a date that has passed', { 'retry-after': 'Thu, 15 Jan 2026 08:59:00 GMT' }, 0],
		['epoch seconds', { 'retry-after': String(IN_42_S) }, 42_000],
		['a named throttler', { 'retry-after-short': '42' }, 42_000],
		[
			'the longest of several throttlers',
			{ 'retry-after-short': '1', 'retry-after-long': '42' },
			42_000,
		],
		[
			'the longest of several throttlers, whichever comes first',
			{ 'retry-after-long': '42', 'retry-after-short': '1' },
			42_000,
		],
		[
			'the longest of several forms',
			{ 'retry-after-ms': '4200', 'retry-after': 'Thu, 15 Jan 2026 09:00:42 GMT' },
			42_000,
		],
		['milliseconds', { 'retry-after-ms': '4200' }, 4_200],
		['more milliseconds than a day has', { 'retry-after-ms': '86400001' }, 60_000],
		['no milliseconds', { 'retry-after-ms': '' }, undefined],
		['fewer than no milliseconds', { 'retry-after-ms': '-4200' }, 0],
		['fewer than no seconds', { 'retry-after': '-42' }, 0],
		['spaces around it', { 'retry-after': ' 42 ' }, 42_000],
		['epoch milliseconds', { 'retry-after': String(IN_42_S * 1000) }, 42_000],
		['epoch seconds that have passed', { 'retry-after': String(NOW / 1000 - 42) }, 0],
		['epoch milliseconds that have passed', { 'retry-after': String(NOW - 42_000) }, 0],
		['a date of exactly two windows', { 'retry-after': 'Thu, 15 Jan 2026 09:02:00 GMT' }, 120_000],
		['epoch seconds beyond two windows', { 'retry-after': String(NOW / 1000 + 121) }, 60_000],
		['epoch milliseconds beyond two windows', { 'retry-after': String(NOW + 120_001) }, 60_000],
		['longer than two windows, which seconds may be', { 'retry-after': '300' }, 300_000],
		['a day', { 'retry-after': '86400' }, 86_400_000],
		['more than a day is no time to wait', { 'retry-after': '86401' }, 60_000],
		[
			'a date beyond two windows: the clocks differ',
			{ 'retry-after': 'Thu, 15 Jan 2026 10:00:00 GMT' },
			60_000,
		],
	])('Retry-After is read: %s', (_case, headers, retryInMs) => {
		expect(readRateInfo(headers, NOW)).toEqual({ retryInMs });
	});

	test.each(['soon', '', '  '])('a Retry-After of %j, which is not a time, is ignored', (value) => {
		expect(readRateInfo({ 'retry-after': value }, NOW)).toEqual({});
		expect(readRateInfo({ 'retry-after': value, 'retry-after-long': '42' }, NOW)).toEqual({
			retryInMs: 42_000,
		});
	});

	test('a name that only contains retry-after is ignored', () => {
		expect(readRateInfo({ 'x-retry-after': '42', 'retry-aftermath': '42' }, NOW)).toEqual({});
	});
});

describe('the remaining requests and the reset time', () => {
	test.each([
		[
			'ratelimit-*',
			{ 'ratelimit-limit': '60', 'ratelimit-remaining': '3', 'ratelimit-reset': '42' },
		],
		['x-ratelimit-*', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '42' }],
		['any case', { 'X-RateLimit-Remaining': '3', 'X-RateLimit-Reset': '42' }],
		['x-rate-limit-*', { 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': '42' }],
		['reset-after', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset-after': '42' }],
		['epoch seconds', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(IN_42_S) }],
		[
			'epoch milliseconds',
			{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(IN_42_S * 1000) },
		],
		['a date', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '2026-01-15T09:00:42Z' }],
		['a named throttler', { 'x-ratelimit-remaining-short': '3', 'x-ratelimit-reset-short': '42' }],
		['the combined field of older drafts', { ratelimit: 'limit=60, remaining=3, reset=42' }],
		[
			'the structured field of newer drafts',
			{ ratelimit: '"default";r=3;t=42', 'ratelimit-policy': '"default";q=60;w=60' },
		],
		['the tightest of several throttlers', { ratelimit: '"day";r=900;t=3000, "minute";r=3;t=42' }],
		[
			'the tightest of several names',
			{
				'x-ratelimit-remaining-long': '900',
				'x-ratelimit-reset-long': '59',
				'x-ratelimit-remaining-short': '3',
				'x-ratelimit-reset-short': '42',
			},
		],
	])('the remaining requests and the reset time are read: %s', (_case, headers) => {
		expect(readRateInfo(headers, NOW)).toMatchObject({ remaining: 3, resetInMs: 42_000 });
	});

	test.each([
		['ratelimit-*', { 'ratelimit-limit': '60', 'ratelimit-remaining': '3' }, 60],
		['x-ratelimit-*', { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '3' }, 60],
		['the combined field of older drafts', { ratelimit: 'limit=60, remaining=3, reset=42' }, 60],
		[
			'that of the tightest of several throttlers',
			{
				'x-ratelimit-limit-long': '1000',
				'x-ratelimit-remaining-long': '900',
				'x-ratelimit-limit-short': '60',
				'x-ratelimit-remaining-short': '3',
			},
			60,
		],
		['not without the remaining requests', { 'x-ratelimit-limit': '60' }, undefined],
		[
			'not if it is no number',
			{ 'ratelimit-limit': '60, 60;w=60', 'ratelimit-remaining': '3' },
			undefined,
		],
		['not if it is 0', { 'ratelimit-limit': '0', 'ratelimit-remaining': '3' }, undefined],
		['not if it is 0 in a combined field', { ratelimit: 'limit=0, remaining=3' }, undefined],
		[
			'that of a combined field, if no other is known',
			{ ratelimit: 'limit=60, remaining=3', 'x-ratelimit-remaining': '2' },
			60,
		],
	])('the size of the window is read: %s', (_case, headers, limit) => {
		expect(readRateInfo(headers as Record<string, string>, NOW).limit).toBe(limit);
	});

	/** A reset after this many seconds, in each form. */
	const resetForms: [string, (seconds: number) => Record<string, string>][] = [
		['seconds', (seconds) => ({ 'x-ratelimit-reset': String(seconds) })],
		['epoch seconds', (seconds) => ({ 'x-ratelimit-reset': String(NOW / 1000 + seconds) })],
		['epoch milliseconds', (seconds) => ({ 'x-ratelimit-reset': String(NOW + seconds * 1000) })],
		[
			'a date',
			(seconds) => ({ 'x-ratelimit-reset': new Date(NOW + seconds * 1000).toISOString() }),
		],
		['the older draft', (seconds) => ({ ratelimit: `remaining=0, reset=${seconds}` })],
		['the newer draft', (seconds) => ({ ratelimit: `"default";r=0;t=${seconds}` })],
	];

	test.each(resetForms)(
		'a reset more than two windows away counts as one window: %s',
		(_form, headers) => {
			const resetInMs = (seconds: number) =>
				readRateInfo({ 'x-ratelimit-remaining': '0', ...headers(seconds) }, NOW).resetInMs;
			expect([1, 120, 121, 3_600, 90_000].map(resetInMs)).toEqual([
				1_000, 120_000, 60_000, 60_000, 60_000,
			]);
		},
	);

	test('the reset of the throttler with the fewest remaining requests counts, whatever their order', () => {
		const headers = {
			'x-ratelimit-remaining-short': '3',
			'x-ratelimit-reset-short': '42',
			'x-ratelimit-remaining-long': '900',
			'x-ratelimit-reset-long': '59',
		};
		const reversed = Object.fromEntries(Object.entries(headers).reverse());
		for (const given of [headers, reversed])
			expect(readRateInfo(given, NOW)).toEqual({ remaining: 3, resetInMs: 42_000 });
	});

	test('without a reset of its own, the latest reset of several counts', () => {
		const resets = { 'x-ratelimit-reset-short': '10', 'x-ratelimit-reset-long': '42' };
		expect(readRateInfo({ ...resets, 'x-ratelimit-remaining': '3' }, NOW)).toEqual({
			remaining: 3,
			resetInMs: 42_000,
		});
		expect(readRateInfo(resets, NOW)).toEqual({ resetInMs: 42_000 });
	});

	test('a number or a reset that cannot be read is ignored', () => {
		expect(
			readRateInfo({ 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' }, NOW),
		).toEqual({});
		expect(readRateInfo({ 'x-ratelimit-remaining': '' }, NOW)).toEqual({});
		expect(readRateInfo({ ratelimit: '"default";t=42' }, NOW)).toEqual({});
	});

	test('a reset that cannot be read hides no other, and of equal throttlers the first counts', () => {
		expect(
			readRateInfo({ 'x-ratelimit-reset-short': 'soon', 'x-ratelimit-reset-long': '42' }, NOW),
		).toEqual({ resetInMs: 42_000 });
		expect(
			readRateInfo(
				{
					'x-ratelimit-remaining-a': '3',
					'x-ratelimit-reset-a': '42',
					'x-ratelimit-remaining-b': '3',
					'x-ratelimit-reset-b': '50',
				},
				NOW,
			),
		).toEqual({ remaining: 3, resetInMs: 42_000 });
	});

	test('a number may have several digits, and spaces around its equals sign', () => {
		expect(readRateInfo({ ratelimit: 'limit = 60, remaining = 17, reset = 42' }, NOW)).toEqual({
			limit: 60,
			remaining: 17,
			resetInMs: 42_000,
		});
		expect(readRateInfo({ ratelimit: '"minute";r=17;t=42' }, NOW)).toEqual({
			remaining: 17,
			resetInMs: 42_000,
		});
	});

	test.each([1e9, 1e12])('%d counts as a moment, no longer as seconds', (first) => {
		expect(readRateInfo({ 'x-ratelimit-reset': String(first) }, 1e12 - 5_000)).toEqual({
			resetInMs: 5_000,
		});
	});

	test('in a combined field, a throttler without a reset has none, and the first of equals counts', () => {
		expect(readRateInfo({ ratelimit: '"minute";r=3' }, NOW)).toEqual({ remaining: 3 });
		expect(readRateInfo({ ratelimit: '"a";r=3;t=42, "b";r=3;t=50' }, NOW)).toEqual({
			remaining: 3,
			resetInMs: 42_000,
		});
	});

	test('a negative number of remaining requests counts as none', () => {
		expect(readRateInfo({ 'x-ratelimit-remaining': '-2' }, NOW)).toEqual({ remaining: 0 });
	});

	test('other headers yield no rate-limit information', () => {
		expect(
			readRateInfo(
				{
					'content-type': 'application/json',
					'x-ratelimit-limit': '60',
					'my-ratelimit-remaining': '3',
					'x-ratelimit-remaining_total': '3',
					'my-ratelimit': 'remaining=3, reset=42',
					'ratelimit-policy': '"default";r=3;t=42',
				},
				NOW,
			),
		).toEqual({});
	});
});
