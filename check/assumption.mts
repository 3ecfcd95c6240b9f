import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { operationsOf } from './operations.mts';
import { isOk, routeOf, whyNot, type ListReading, type Reading, type Service } from './service.mts';
import { say, type Shown } from './shown.mts';

export type Verdict = 'holds' | 'does not hold' | 'cannot tell';

/** What is found about one assumption. */
export interface Judgement {
	verdict: Verdict;
	seen: Shown[];
	/** The operations and events that go wrong because of it, as the report names them; [] if the package copes with it. */
	affected: string[];
}

/** One thing that the service does not document, and that makes a difference to users of the package. */
export interface Assumption {
	id: string;
	/** In plain words. "Holds" means yes. */
	question: string;
	/** What follows for the user if it does not hold. The report shows it, unless the assumption holds. */
	otherwise: string;
	/** Reads what it needs; what others have read is not requested again. @throws CheckStopped */
	check(service: Service): Promise<Judgement>;
}

export const holds = (...seen: Shown[]): Judgement => ({ verdict: 'holds', seen, affected: [] });

export const cannotTell = (...seen: Shown[]): Judgement => ({
	verdict: 'cannot tell',
	seen,
	affected: [],
});

/** The package copes with it. */
export const fails = (...seen: Shown[]): Judgement => failsFor([], ...seen);

/** These operations and events go wrong. */
export const failsFor = (affected: string[], ...seen: Shown[]): Judgement => ({
	verdict: 'does not hold',
	seen,
	affected,
});

/** Every operation and event that uses this endpoint goes wrong. */
export const failsAt = (endpoint: Endpoint, ...seen: Shown[]): Judgement =>
	failsFor(operationsOf([endpoint]), ...seen);

/** Of several parts, each has to hold. */
export const allOf = (parts: readonly Judgement[]): Judgement =>
	combined(parts, ['does not hold', 'cannot tell', 'holds']);

/** Of the same in several places, those count where it can be told. */
export const anyOf = (parts: readonly Judgement[]): Judgement =>
	combined(parts, ['does not hold', 'holds', 'cannot tell']);

function combined(parts: readonly Judgement[], order: Verdict[]): Judgement {
	const having = (verdict: Verdict) => parts.filter((part) => part.verdict === verdict);
	// What needs attention comes first.
	const shown: Verdict[] = ['does not hold', 'cannot tell', 'holds'];
	return {
		verdict: order.find((verdict) => having(verdict).length > 0) ?? 'cannot tell',
		seen: shown.flatMap((verdict) => having(verdict).flatMap(({ seen }) => seen)),
		affected: [...new Set(parts.flatMap(({ affected }) => affected))],
	};
}

/** The judgement about a request that the nodes send, and that was not answered. */
export const unread = (reading: Reading): Judgement =>
	[400, 404, 413, 422].includes(reading.response?.status ?? 0)
		? failsAt(reading.endpoint, whyNot(reading))
		: cannotTell(whyNot(reading));

/** The judgement about a list without rows; undefined if it has some. */
export function withoutRows({ path, rows, reading }: ListReading): Judgement | undefined {
	const route = routeOf(reading);
	if (rows.length > 0) return undefined;
	if (path) return cannotTell(say`${route}: the list is empty`);
	return cannotTell(isOk(reading) ? say`${route}: no rows found` : whyNot(reading));
}
