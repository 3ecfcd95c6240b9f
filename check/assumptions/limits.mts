/** The rate limit. */
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { readRateInfo } from '../../nodes/ConversationalMessaging/api/rate/rateHeaders.ts';
import { cannotTell, fails, holds, type Assumption } from '../assumption.mts';
import { header } from '../names.mts';
import type { Reading } from '../service.mts';
import { count, join, say } from '../shown.mts';

const RATE_NAME = /rate-?limit|quota|throttl|retry-after|requests?-(?:left|remaining)/i;

export const rateLimit: Assumption = {
	id: 'rate-limit',
	question: 'Do the headers show how many requests are left?',
	otherwise:
		'Without these headers, the nodes learn of the limit only from a rejection (429): they then wait as Retry-After says, or for 60 s, and repeat the request.',
	async check({ readings }) {
		const answered = readings.filter(({ response }) => response);
		const withHeaders = answered.filter((reading) => rateHeaders(reading).length > 0);
		if (withHeaders.length === 0)
			return cannotTell(
				say`none of ${count(answered.length, 'response')} to reads has a rate-limit header; those to writes may`,
			);
		const names = join([...new Set(withHeaders.flatMap(rateHeaders))].map(header));
		const rates = withHeaders.map(({ response }) =>
			readRateInfo(response?.headers ?? {}, clock.now()),
		);
		const limits = rates.map(({ limit }) => limit).filter((limit) => limit !== undefined);
		const window =
			limits.length > 0 ? [say`${count(Math.min(...limits), 'request')} per window`] : [];
		const understood = rates.filter(({ remaining }) => remaining !== undefined).length;
		return understood === rates.length
			? holds(names, ...window)
			: fails(names, say`understood in ${understood} of ${count(rates.length, 'response')}`);
	},
};

const rateHeaders = ({ response }: Reading): string[] =>
	Object.keys(response?.headers ?? {}).filter((name) => RATE_NAME.test(name));
