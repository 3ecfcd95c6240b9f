import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import { operationsOf } from './operations.mts';
import { isOk, routeOf, whyNot, type ListReading, type Reading, type Service } from './service.mts';
import { say, type Shown } from './shown.mts';

export type Verdict = 'holds' | 'does not hold' | 'cannot tell';

/** What is found about one assumption. */
export interface Judgement {
	verdict: Verdict;
	seen: Shown[];
	/** The operations and events that return wrong results or cannot work because of it, as the report names them. */
	affected: string[];
}

/** One thing that the service does not document, and that makes a difference to users of the package. */
export interface Assumption {
	id: string;
	/** In plain words. "Holds" means yes. */
	question: string;
	/**
	 * The entries of the contract that it settles, as "operationId: the entry"; for entries outside of operations,
	 * "contract" or the name of the schema.
	 */
	settles: readonly string[];
	/** What follows for the user if it does not hold. The report shows it, unless the assumption holds. */
	otherwise: string;
	/** Reads what it needs; what others have read is not requested again. @throws CheckStopped */
	check(service: Service): Promise<Judgement>;
}

export const holds = (...seen: Shown[]): Judgement => ({ verdict: 'holds', seen, affected: [] });
/** The package copes with it. */
export const fails = (...seen: Shown[]): Judgement => failsFor([], ...seen);
export const cannotTell = (...seen: Shown[]): Judgement => ({
	verdict: 'cannot tell',
	seen,
	affected: [],
});

/** These operations and events go wrong. */
export const failsFor = (affected: string[], ...seen: Shown[]): Judgement => ({
	verdict: 'does not hold',
	seen,
	affected,
});

/** Every operation and event that uses one of these endpoints goes wrong. */
export const failsAt = (endpoints: readonly Endpoint[], ...seen: Shown[]): Judgement =>
	failsFor(operationsOf(endpoints), ...seen);

/** Of several parts, each has to hold. */
export const allOf = (parts: readonly Judgement[]): Judgement =>
	combined(parts, ['does not hold', 'cannot tell', 'holds']);

/** Of the same in several places, those count where it can be told. */
export const anyOf = (parts: readonly Judgement[]): Judgement =>
	combined(parts, ['does not hold', 'holds', 'cannot tell']);

function combined(parts: readonly Judgement[], order: Verdict[]): Judgement {
	const has = (verdict: Verdict) => parts.some((part) => part.verdict === verdict);
	// The terminal shows the first lines only.
	const shown: Verdict[] = ['does not hold', 'cannot tell', 'holds'];
	return {
		verdict: order.find(has) ?? 'cannot tell',
		seen: shown.flatMap((verdict) =>
			parts.filter((part) => part.verdict === verdict).flatMap(({ seen }) => seen),
		),
		affected: [...new Set(parts.flatMap(({ affected }) => affected))],
	};
}

/** The judgement about a documented route that was not read: a 404 shows that it does not exist. */
export const unread = (reading: Reading): Judgement =>
	reading.response?.status === 404
		? failsAt([reading.endpoint], whyNot(reading))
		: cannotTell(whyNot(reading));

/** The judgement about a list without rows; undefined if it has some. */
export function withoutRows({ path, rows, reading }: ListReading): Judgement | undefined {
	const route = routeOf(reading);
	if (rows.length > 0) return undefined;
	if (path) return cannotTell(say`${route}: the list is empty`);
	return cannotTell(isOk(reading) ? say`${route}: no rows found` : whyNot(reading));
}
