/** Broadcasts and import jobs, templates, and the CSV files of all of them. */
import type { IDataObject } from 'n8n-workflow';
import { readCsvHeader } from '../../nodes/ConversationalMessaging/api/csv.ts';
import type { Endpoint } from '../../nodes/ConversationalMessaging/api/endpoint.ts';
import { progressOf } from '../../nodes/ConversationalMessaging/api/progress.ts';
import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { recordNames } from '../../nodes/ConversationalMessaging/api/recordNames.ts';
import { isRecord, statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { templateFromRow } from '../../nodes/ConversationalMessaging/parameters/template.ts';
import { DEFAULT_PHONE_COLUMN } from '../../nodes/ConversationalMessaging/resources/broadcast/audience/csvItems.ts';
import {
	isHeaderRow,
	layoutOf,
	NAME,
	WA_ID,
} from '../../nodes/ConversationalMessaging/resources/contactImport/importColumns.ts';
import {
	allOf,
	cannotTell,
	fails,
	failsAt,
	failsFor,
	holds,
	unread,
	withoutRows,
	type Assumption,
	type Judgement,
} from '../assumption.mts';
import { isKnownKey, key, keys, paths, words } from '../names.mts';
import { eventsOf } from '../operations.mts';
import { allPaths } from '../records.mts';
import { isOk, isUnclear, LARGE_PAGE, routeOf, whyNot, type Service } from '../service.mts';
import { count, say } from '../shown.mts';

export const jobs: Assumption = {
	id: 'jobs',
	question: 'Do the nodes find import jobs and broadcasts, and understand which have ended?',
	settles: [
		"getContactImport: the name and the type of the job's ID, and whether the job is directly in data or under a name",
		'getContactImport: the states besides queued and processing, their spelling, and whether a job shows its state',
		"getBroadcast: the name and the type of the broadcast's ID, and whether it is directly in data or under a name",
	],
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
	if (!reading) return failsAt([endpoint], say`${route}: the rows have no ID`);
	if (reading.response?.status === 404)
		return failsAt([endpoint], say`${route}: the ID of its first row is not found (404)`);
	if (!isOk(reading)) return cannotTell(whyNot(reading));
	const found = recordOf(reading.response?.json, recordNames(endpoint));
	const where = found.key === undefined ? say`directly in data` : say`under ${key(found.key)}`;
	const place = say`${routeOf(reading)}: ${where}`;
	if (found.id !== id) return failsAt([endpoint], say`${place}, its ID is not found`);
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
	question: 'Do the nodes find all templates, with ID, name, language, status and components?',
	settles: [
		'createTemplate: the values of the approval status',
		'createTemplate: the form of a component',
		'listTemplates: how many are returned without a limit (about 100 here)',
	],
	otherwise:
		'A template without ID, name and language cannot be picked. Without components, the editor offers no fields for its variables: enter the components as JSON. Without a status, the list shows none. Templates that are not returned with limit=1000 are missing everywhere.',
	async check(service) {
		// As the nodes request them.
		const list = await service.list('templates', { limit: LARGE_PAGE });
		const usual = await service.list('templates', {});
		const { rows, length, reading } = list;
		if (!list.path && usual.path)
			return isUnclear(reading)
				? cannotTell(say`${whyNot(reading)} with limit=${LARGE_PAGE}`)
				: failsAt(['GET /templates'], say`limit=${LARGE_PAGE} is rejected`);
		const none = withoutRows(list);
		if (none) return none;
		const without = (test: (row: IDataObject) => boolean) => rows.length - rows.filter(test).length;
		const unusable = without((row) => templateFromRow(row) !== undefined);
		const unreadable = without(hasComponents);
		const statuses = rows.map(statusOf).filter((status) => status !== undefined);
		const seen = [
			statuses.length > 0 ? say`status: ${words(statuses)}` : say`no status`,
			say`keys of a template: ${keys(rows.slice(0, 50).flatMap(Object.keys))}`,
		];
		const of = count(rows.length, 'template');
		const isMissing = length < usual.length;
		const lacking = [
			...(unusable > 0 ? [say`no ID, name or language in ${unusable} of ${of}`] : []),
			...(unreadable > 0 ? [say`no list of components with a type in ${unreadable} of ${of}`] : []),
			...(isMissing
				? [say`${length} with limit=${LARGE_PAGE}, but ${usual.length} without a limit`]
				: []),
		];
		if (isMissing || [unusable, unreadable].includes(rows.length))
			return failsAt(['GET /templates'], ...lacking, ...seen);
		if (lacking.length > 0) return fails(...lacking, ...seen);
		return statuses.length === rows.length ? holds(...seen) : fails(...seen);
	},
};

const hasComponents = ({ components }: IDataObject): boolean =>
	Array.isArray(components) &&
	(components as unknown[]).every((part) => isRecord(part) && typeof part.type === 'string');

export const csvColumns: Assumption = {
	id: 'csv-columns',
	question: 'Do CSV files begin with a row that names their columns, as the nodes expect them?',
	settles: [
		'getBroadcastCsvTemplate: the columns',
		'exportContacts: the columns',
		'getContactImportErrors: the columns',
		'getContactImportTemplate: the columns',
		'getContactImportTemplate: the statuses besides 200, 401 and 403',
		'importContacts: the columns of the file',
	],
	otherwise:
		'Export, and the rejected rows of an import, use the first row as names of the fields, whatever it contains. If the import template has no column for the name or the WhatsApp ID, Start with input items stops with a message that names it. If the CSV template of a broadcast has no column phone, set Phone Column before a broadcast to CSV From Input Items.',
	check: async (service) =>
		allOf([
			await judgeFile(service, 'GET /contacts/import-template', {}, (columns) => {
				const { columnOf } = layoutOf(columns, [NAME, WA_ID]);
				const isUsable = isHeaderRow(columns) && !columnOf.includes(undefined);
				return isUsable ? holds() : failsAt(['POST /contacts/import']);
			}),
			await judgeFile(service, 'GET /contacts/export', {}, judgeHeader),
			await judgeBroadcastTemplate(service),
			await judgeErrors(service),
		]),
};

async function judgeBroadcastTemplate(service: Service): Promise<Judgement> {
	const list = await service.largePage('templates');
	const template = list.rows.map(templateFromRow).find((found) => found !== undefined);
	if (!template)
		return withoutRows(list) ?? cannotTell(say`GET /templates: none with ID, name and language`);
	const query = { templateName: template.name, templateLanguage: template.language };
	return await judgeFile(service, 'GET /broadcasts/csv-template', { query }, (columns) =>
		columns.includes(DEFAULT_PHONE_COLUMN) ? holds() : fails(say`no column ${key('phone')}`),
	);
}

async function judgeErrors(service: Service): Promise<Judgement> {
	const { list, id } = await service.firstRecord('imports', 'GET /contacts/imports/{id}');
	if (id === undefined)
		return withoutRows(list) ?? cannotTell(say`GET /contacts/imports: none with an ID`);
	return await judgeFile(
		service,
		'GET /contacts/imports/{id}/errors',
		{ path: { id } },
		judgeHeader,
	);
}

/** Whether one of the cells is a usual name, and none is a number or an address. Custom fields may have any name. */
function judgeHeader(columns: readonly string[]): Judgement {
	const isData = columns.some((column) => /@|\d{5}/.test(column));
	const isHeader = !isData && columns.some(isKnownKey);
	return isHeader ? holds() : fails(say`the first row is not a header row`);
}

/** Judges the header row of a file, as the nodes read it. */
async function judgeFile(
	service: Service,
	endpoint: Endpoint,
	params: NonNullable<Parameters<Service['read']>[1]>,
	judge: (columns: string[]) => Judgement,
): Promise<Judgement> {
	const reading = await service.read(endpoint, params, { body: 'csv' });
	// With an ID or a template, a 404 may be about these.
	if (!isOk(reading))
		return Object.keys(params).length === 0 ? unread(reading) : cannotTell(whyNot(reading));
	const route = routeOf(reading);
	const { text = '', json } = reading.response ?? {};
	if (isRecord(json) || Array.isArray(json))
		return failsAt([endpoint], say`${route}: JSON instead of CSV`);
	if (/^\s*</.test(text)) return failsAt([endpoint], say`${route}: HTML instead of CSV`);
	const { columns } = await readCsvHeader(pieces(text)).catch(() => ({ columns: [] as string[] }));
	// A job without rejected rows may have an empty report.
	if (columns.length === 0) return cannotTell(say`${route}: the file is empty`);
	const judgement = judge(columns);
	const shown = say`${route}: ${count(columns.length, 'column')}: ${keys(columns)}`;
	return { ...judgement, seen: [shown, ...judgement.seen.map((why) => say`${route}: ${why}`)] };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}
