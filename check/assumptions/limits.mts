/** The rate limit. */
import { cannotTell, fails, holds, type Assumption } from '../assumption.mts';
import { header } from '../names.mts';
import type { Reading } from '../service.mts';
import { count, join, say } from '../shown.mts';

const RATE_NAME = /rate-?limit|quota|throttl|retry-after|requests?-(?:left|remaining)/i;

export const rateLimit: Assumption = {
	id: 'rate-limit',
	question: 'Do the headers show how many requests are left, of one limit for all routes?',
	settles: [
		'contract: the number of requests in a rate-limit window, and the names of its headers',
	],
	otherwise:
		'Without these headers, the nodes learn of the limit only from a rejection (429): they then wait as Retry-After says, or for 60 s, and repeat the request. If routes have limits of their own, the nodes go by the lowest number, so they may wait although some routes have requests left.',
	async check({ readings }) {
		const answered = readings.filter(({ response }) => response);
		const withHeaders = answered.filter((reading) => rateHeaders(reading).length > 0);
		if (withHeaders.length === 0)
			return cannotTell(
				say`none of ${count(answered.length, 'response')} to reads has a rate-limit header; those to writes may`,
			);
		const names = new Set(withHeaders.flatMap(rateHeaders));
		const limits = withHeaders.map(({ rate }) => rate.limit).filter((limit) => limit !== undefined);
		const seen = [
			join([...names].map(header)),
			...(limits.length > 0 ? [say`${count(Math.min(...limits), 'request')} per window`] : []),
		];
		const understood = withHeaders.filter(({ rate }) => rate.remaining !== undefined);
		if (understood.length < withHeaders.length)
			return fails(
				...seen,
				say`understood in ${understood.length} of ${count(withHeaders.length, 'response')}`,
			);
		const { compared, fell } = changes(understood);
		const counted = say`the number fell ${fell} of ${count(compared, 'time')}`;
		if (compared === 0) return cannotTell(...seen);
		return fell === compared ? holds(...seen, counted) : fails(...seen, counted);
	},
};

const rateHeaders = ({ response }: Reading): string[] =>
	Object.keys(response?.headers ?? {}).filter((name) => RATE_NAME.test(name));

/** How often what is left fell from one response to the next. Those in different windows are not compared. */
function changes(readings: readonly Reading[]): { compared: number; fell: number } {
	const pairs = readings.slice(1).flatMap((reading, index) => {
		const previous = readings[index] as Reading;
		const [before = 0, after = 0] = [previous.rate.remaining, reading.rate.remaining];
		// Resets are often given in whole seconds.
		const resetsAt = previous.at + (previous.rate.resetInMs ?? 0) - 1_000;
		return after > before && reading.at >= resetsAt ? [] : [after < before];
	});
	return { compared: pairs.length, fell: pairs.filter(Boolean).length };
}
