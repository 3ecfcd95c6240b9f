/** Broadcasts and import jobs. */
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import { recordOf, recordNames } from '../../nodes/ConversationalMessaging/api/response/record.ts';
import { statusOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import {
	allOf,
	cannotTell,
	failsAt,
	failsFor,
	holds,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { allPaths, paths, words } from '../names.mts';
import { eventsOf } from '../operations.mts';
import { isOk, routeOf, whyNot, type Service } from '../service.mts';
import { say } from '../shown.mts';

export const jobs: Assumption = {
	id: 'jobs',
	question: 'Do the nodes find import jobs and broadcasts, and understand which have ended?',
	otherwise:
		'Wait for Completion waits until its time has passed, or stops if it does not find the ID. The trigger reports an unknown state unchanged, and does not see jobs without a state.',
	check: async (service) =>
		allOf([
			await judgeJob(service, 'imports', 'GET /contacts/imports/{id}'),
			await judgeJob(service, 'broadcasts', 'GET /broadcasts/{id}'),
		]),
};

async function judgeJob(
	service: Service,
	name: 'imports' | 'broadcasts',
	endpoint: Endpoint,
): Promise<Judgement> {
	const list = await service.list(name);
	const none = withoutRows(list);
	if (none) return none;
	const route = routeOf(list.reading);
	// Jobs may call their ID after their kind.
	const ids = list.rows.map((row) => recordOf({ data: row }, recordNames(endpoint)).id);
	const id = ids.find((found) => found !== undefined);
	if (id === undefined) return failsAt(endpoint, say`${route}: the rows have no ID`);
	const reading = await service.read(endpoint, { path: { id } });
	if (reading.response?.status === 404)
		return failsAt(endpoint, say`${route}: the ID of its first row is not found (404)`);
	if (!isOk(reading)) return cannotTell(whyNot(reading));
	const found = recordOf(reading.response?.json, recordNames(endpoint));
	const place = say`${routeOf(reading)}: found`;
	if (found.id !== id) return failsAt(endpoint, say`${place}, its ID is not found`);
	const states = list.rows.map(statusOf).filter((state) => state !== undefined);
	const waiting =
		name === 'imports' ? 'Wait for Completion of imports' : 'Wait for Completion of broadcasts';
	if (states.length === 0)
		return failsFor(
			[waiting, ...eventsOf(endpoint)],
			place,
			say`${route}: no state; keys: ${paths(allPaths(list.rows.slice(0, 50)))}`,
		);
	const unclear = [...new Set(states)].filter((state) => progressOf(state) === 'unknown');
	const seen = say`${route}: ${words(states)}`;
	return unclear.length === 0
		? holds(place, seen)
		: failsFor([waiting], place, say`${seen}; not understood: ${words(unclear)}`);
}
