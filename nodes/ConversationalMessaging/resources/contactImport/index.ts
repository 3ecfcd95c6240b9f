import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { filterOptions } from '../../descriptions/filters';
import { pagingFields } from '../../descriptions/paging';
import { withoutUndefined } from '../../parameters/values';
import { importField } from '../../descriptions/records';
import { maxWaitMs, waitOptions } from '../../descriptions/wait';
import { fetchCsv } from '../csvDownload';
import { waitForCompletion } from '../waitForCompletion';
import type { Operation, Resource } from '../operation';
import { IMPORT_JOB, start } from './start';

/** `limit` has no documented maximum of its own, so the general one applies. */
const MAX_JOBS = 200;

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get contact import',
	description: 'Get the status and counters of an import job, now or once it has ended',
	endpoint: 'GET /contacts/imports/{id}',
	fields: [importField(), waitOptions],
	result: 'steps',
	prepare(parameters) {
		const id = parameters.requiredId('importId');
		const wait = maxWaitMs(parameters.collection('options'));
		return async (context) => {
			if (wait !== undefined)
				return (await waitForCompletion(context, IMPORT_JOB, id, wait)).outputs;
			return context.output(await context.send('GET /contacts/imports/{id}', { path: { id } }));
		};
	},
};

const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contact imports',
	description: 'Get recent import jobs, optionally only active ones',
	endpoint: 'GET /contacts/imports',
	fields: [
		...pagingFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Active Only',
					name: 'activeOnly',
					type: 'boolean',
					default: true,
					description: 'Whether to return only jobs that are queued or processing',
				},
			],
		},
		filterOptions,
	],
	result: 'rows',
	rowsName: 'imports',
	request(parameters) {
		const rowLimit = parameters.rowLimit();
		return {
			query: withoutUndefined({
				activeOnly: parameters.filters().boolean('activeOnly'),
				limit: rowLimit === 'all' ? MAX_JOBS : rowLimit,
			}),
		};
	},
};

const getFailedRows: Operation = {
	name: 'Get Failed Rows',
	value: 'getFailedRows',
	action: 'Get failed rows of contact import',
	description: 'Get the rows that an import job rejected, as a CSV file or as items',
	endpoint: 'GET /contacts/imports/{id}/errors',
	fields: [importField(), ...csvOutputFields],
	result: 'steps',
	prepare(parameters) {
		const path = { id: parameters.requiredId('importId') };
		const target = csvTarget(parameters);
		return async (context) =>
			await fetchCsv(
				context,
				'GET /contacts/imports/{id}/errors',
				{ path },
				target,
				'failed-rows.csv',
			);
	},
};

const downloadTemplate: Operation = {
	name: 'Download Template',
	value: 'downloadTemplate',
	action: 'Download contact import template',
	description: 'Get the service’s CSV template for imports',
	endpoint: 'GET /contacts/import-template',
	fields: csvOutputFields,
	result: 'steps',
	prepare(parameters) {
		const target = csvTarget(parameters);
		return async (context) =>
			await fetchCsv(
				context,
				'GET /contacts/import-template',
				{},
				target,
				'contact-import-template.csv',
			);
	},
};

export const contactImport: Resource = {
	name: 'Contact Import',
	value: 'contactImport',
	operations: [downloadTemplate, get, getFailedRows, getAll, start],
};
