import type { INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Change } from './compare';
import { eventItem, passes } from './events';
import type { Filter, Reader, Watched } from './kind';
import { isTransient } from './reading';
import type { KindState } from './state';
import { watch } from './watch';

/** How many polls in a row may see not everything before a person is told. */
export const QUIET_FAILURES = 4;

/** What a poll brought for one kind of record. */
export interface Polled {
	/** Its event's value. */
	event: string;
	state: KindState;
	items: INodeExecutionData[];
	/** What a person is to be told now. */
	error?: NodeApiError;
}

/**
 * Polls one kind of record.
 *
 * @param scope what the memory is of: a state with another scope is left aside, and a new one begins
 * @param saved the state that the last poll left
 */
export async function pollKind(
	reader: Reader,
	watched: Watched,
	scope: string,
	saved: KindState | undefined,
): Promise<Polled> {
	const { kind, filter } = watched;
	const before = saved?.scope === scope ? saved : undefined;
	// A filter that was changed counts from this poll on: what happened before passes only if the old one let it.
	const filters: Filter[] = before ? [filter, before.filter] : [filter];
	const isWanted = (change: Change): boolean => filters.every((each) => passes(change, each));
	const watching = await watch(reader, watched, before?.memory, isWanted).catch(
		(error: unknown) => {
			if (!(error instanceof NodeApiError)) throw error;
			return { memory: before?.memory, changes: [], failure: error };
		},
	);
	const { memory, changes, failure } = watching;
	const failures = failure ? (before?.failures ?? 0) + 1 : 0;
	const epoch = memory?.epoch ?? '';
	return {
		event: kind.event,
		// The old filter stays in force until a poll has seen everything.
		state: { scope, filter: failure && before ? before.filter : filter, failures, memory },
		items: changes.filter(isWanted).map((change) => eventItem(kind, change, epoch)),
		error: failure && toTell(failure, failures),
	};
}

/** What a person is told of a poll that did not see everything; undefined while it may be a short outage. */
function toTell(failure: NodeApiError, failures: number): NodeApiError | undefined {
	if (!isTransient(failure)) return failure;
	if (failures <= QUIET_FAILURES) return undefined;
	const note = `It has been like this for ${failures} polls in a row. Nothing is lost: the next poll that goes through finds what changed meanwhile.`;
	failure.description = [failure.description, note].filter(Boolean).join(' ');
	return failure;
}
