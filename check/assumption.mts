import type { Endpoint } from '../nodes/ConversationalMessaging/api/endpoint.ts';
import type { ListName } from './lists.mts';
import type { Names } from './names.mts';
import type { Reading, Service } from './service.mts';
import type { Shown } from './shown.mts';

export type Verdict = 'holds' | 'does not hold' | 'cannot tell';

/** What is found about one assumption. */
export interface Judgement {
	verdict: Verdict;
	seen: Shown[];
	/**
	 * Whether the package returns wrong results or cannot work because of it. The endpoints that are concerned; every
	 * operation and event that uses one of them is named in the report.
	 */
	breaks?: Endpoint[];
	/** What goes wrong although the operations with the same endpoints do not, as the report names it. */
	events?: string[];
}

/** One thing that the service does not document and the package relies on or copes with. */
export interface Assumption<T = unknown> {
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
	/** Reads what it needs. What others have read is not requested again. @throws CheckStopped */
	observe(service: Service): Promise<T>;
	/** After everything has been read. */
	judge(observed: T, context: JudgeContext): Judgement;
}

export interface JudgeContext {
	names: Names;
	/** Every response of the check, in order. */
	readings: readonly Reading[];
}

/** Keeps the type of what is observed between the two functions. */
export const assumption = <T,>(definition: Assumption<T>): Assumption =>
	definition as unknown as Assumption;

export const holds = (...seen: Shown[]): Judgement => ({ verdict: 'holds', seen });
export const fails = (...seen: Shown[]): Judgement => ({ verdict: 'does not hold', seen });
export const cannotTell = (...seen: Shown[]): Judgement => ({ verdict: 'cannot tell', seen });

/** The package goes wrong with these endpoints. */
export const failsAt = (breaks: Endpoint[], ...seen: Shown[]): Judgement => ({
	verdict: 'does not hold',
	seen,
	breaks,
});

export type { ListName };
