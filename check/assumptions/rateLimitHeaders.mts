import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import type { Names } from '../names.mts';
import { rateHeadersIn, type RateHeader } from '../rateHeaderForms.mts';
import { count, join, literal, say, type Shown } from '../shown.mts';

export const rateLimitHeaders = assumption({
	id: 'rate-limit-headers',
	question: 'Can the nodes read from the headers how many requests are left?',
	settles: [
		'contract: the number of requests in a rate-limit window, and the names of its headers',
	],
	otherwise:
		'The nodes learn of the limit only from a rejection (429): they then wait as Retry-After says, or for 60 s, and repeat the request.',
	async observe(service) {
		await service.largePage('tickets');
	},
	judge(_observed, { readings, names }) {
		const answered = readings.filter(({ response }) => response);
		const withHeaders = answered
			.map(({ response, rate }) => ({ headers: rateHeadersIn(response?.headers ?? {}), rate }))
			.filter(({ headers }) => headers.length > 0);
		if (withHeaders.length === 0)
			return cannotTell(
				say`none of ${count(answered.length, 'response')} to reads has a rate-limit header; those to writes may`,
			);
		const headers = new Map(
			withHeaders.flatMap((entry) => entry.headers).map((header) => [header.name, header]),
		);
		const understood = withHeaders.filter(({ rate }) => rate.remaining !== undefined).length;
		const seen = [
			join([...headers.values()].map((header) => shownHeader(header, names))),
			...limitsIn([...headers.values()]),
		];
		if (understood === withHeaders.length) return holds(...seen);
		return fails(
			...seen,
			say`understood: ${understood} of ${count(withHeaders.length, 'response')}`,
		);
	},
});

function shownHeader({ name, meaning, form }: RateHeader, names: Names): Shown {
	return form && meaning !== 'retry'
		? say`${names.header(name)} (${literal(form)})`
		: say`${names.header(name)}`;
}

/** The number of requests per window, where a header states it. */
function limitsIn(headers: RateHeader[]): Shown[] {
	const limits = headers.flatMap(({ meaning, value }) => {
		const text =
			meaning === 'limit' ? /^\d+/.exec(value)?.[0] : /\b(?:limit|q)\s*=\s*(\d+)/i.exec(value)?.[1];
		return text === undefined ? [] : [Number(text)];
	});
	return limits.length > 0 ? [say`${count(Math.min(...limits), 'request')} per window`] : [];
}
