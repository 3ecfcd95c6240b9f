/** Broadcasts and import jobs, and templates. */
import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/response/progress.ts';
import { recordOf, recordNames } from '../../nodes/ConversationalMessaging/api/response/record.ts';
import { isRecord, statusOf } from '../../nodes/ConversationalMessaging/api/response/response.ts';
import { templateFromRow } from '../../nodes/ConversationalMessaging/parameters/template.ts';
import {
	allOf,
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { allPaths, key, keys, paths, words } from '../names.mts';
import { eventsOf } from '../operations.mts';
import { isOk, routeOf, whyNot, type Service } from '../service.mts';
import { count, say } from '../shown.mts';

export const jobs: Assumption = {
	id: 'jobs',
	question: 'Do the nodes find import jobs and broadcasts, and understand which have ended?',
	otherwise:
		'Wait for Completion waits until its time has passed, or stops if it does not find the ID. The trigger reports an unknown state as it is, and does not see jobs without a state.',
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
	const { list, id, reading } = await service.firstRecord(name, endpoint);
	const none = withoutRows(list);
	if (none) return none;
	const route = routeOf(list.reading);
	if (!reading) return failsAt(endpoint, say`${route}: the rows have no ID`);
	if (reading.response?.status === 404)
		return failsAt(endpoint, say`${route}: the ID of its first row is not found (404)`);
	if (!isOk(reading)) return cannotTell(whyNot(reading));
	const found = recordOf(reading.response?.json, recordNames(endpoint));
	const where = found.key === undefined ? say`directly in data` : say`under ${key(found.key)}`;
	const place = say`${routeOf(reading)}: ${where}`;
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

export const templates: Assumption = {
	id: 'templates',
	question: 'Do the nodes find templates with ID, name, language, status and components?',
	otherwise:
		'A template without ID, name or language cannot be chosen or sent. Without components, its variables are not shown. Without a status, all templates count as approved.',
	async check(service) {
		const list = await service.list('templates');
		const none = withoutRows(list);
		if (none) return none;
		const { rows } = list;
		const without = (test: (row: IDataObject) => boolean) => rows.length - rows.filter(test).length;
		const unusable = without((row) => templateFromRow(row) !== undefined);
		const unreadable = without(hasComponents);
		const statuses = rows.map(statusOf).filter((status) => status !== undefined);
		const of = count(rows.length, 'template');
		const seen = [
			...(unusable > 0 ? [say`no ID, name or language in ${unusable} of ${of}`] : []),
			...(unreadable > 0 ? [say`no list of components with a type in ${unreadable} of ${of}`] : []),
			statuses.length > 0 ? say`status: ${words(statuses)}` : say`no status`,
			say`keys of a template: ${keys(rows.slice(0, 50).flatMap(Object.keys))}`,
		];
		if ([unusable, unreadable].includes(rows.length)) return failsAt('GET /templates', ...seen);
		return unusable + unreadable === 0 && statuses.length === rows.length
			? holds(...seen)
			: fails(...seen);
	},
};

const hasComponents = ({ components }: IDataObject): boolean =>
	Array.isArray(components) &&
	(components as unknown[]).every((part) => isRecord(part) && typeof part.type === 'string');
