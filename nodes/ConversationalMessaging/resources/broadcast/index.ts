import { broadcastStatusOptions } from '../../descriptions/broadcastStatus';
import { csvOutputFields, csvTarget } from '../../descriptions/csvOutput';
import { filterOptions } from '../../descriptions/filters';
import { pagingFields } from '../../descriptions/paging';
import { withoutUndefined } from '../../parameters/values';
import { broadcastField, channelField } from '../../descriptions/records';
import { maxWaitMs, waitOptions } from '../../descriptions/wait';
import { fetchCsv } from '../csvDownload';
import { waitForCompletion } from '../waitForCompletion';
import type { Operation, Resource } from '../operation';
import { BROADCAST_JOB, create } from './create';

const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get broadcast',
	description: 'Get a broadcast with its delivery statistics, now or once it has ended',
	endpoint: 'GET /broadcasts/{id}',
	fields: [broadcastField(), waitOptions],
	result: 'steps',
	prepare(parameters) {
		const id = parameters.requiredId('broadcastId');
		const wait = maxWaitMs(parameters.collection('options'));
		return async (context) => {
			if (wait !== undefined)
				return (await waitForCompletion(context, BROADCAST_JOB, id, wait)).outputs;
			return context.output(await context.send('GET /broadcasts/{id}', { path: { id } }));
		};
	},
};

const getAll: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many broadcasts',
	description: 'Get broadcasts, optionally by channel or status',
	endpoint: 'GET /broadcasts',
	fields: [
		...pagingFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				channelField('Only broadcasts sent from this channel'),
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					options: broadcastStatusOptions,
					default: 'COMPLETED',
					description: 'Only broadcasts with this status',
				},
			],
		},
		filterOptions,
	],
	result: 'pages',
	rowsName: 'broadcasts',
	pageSize: 200,
	request(parameters) {
		const filters = parameters.filters();
		return {
			query: withoutUndefined({
				channelId: filters.id('channelId'),
				status: filters.option('status'),
			}),
		};
	},
};

const downloadCsvTemplate: Operation = {
	name: 'Download CSV Template',
	value: 'downloadCsvTemplate',
	action: 'Download broadcast CSV template',
	description: 'Get a CSV file with the columns that a template needs',
	endpoint: 'GET /broadcasts/csv-template',
	fields: [
		{
			displayName: 'Template Name',
			name: 'templateName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. spring_sale',
			description: 'Name of the template',
		},
		{
			displayName: 'Template Language',
			name: 'templateLanguage',
			type: 'string',
			default: 'en_US',
			required: true,
			description: 'Language code of the template',
		},
		...csvOutputFields,
	],
	result: 'steps',
	prepare(parameters) {
		const target = csvTarget(parameters);
		const query = {
			templateName: parameters.required('templateName'),
			templateLanguage: parameters.required('templateLanguage'),
		};
		return async (context) =>
			await fetchCsv(context, 'GET /broadcasts/csv-template', { query }, target, 'broadcast.csv');
	},
};

export const broadcast: Resource = {
	name: 'Broadcast',
	value: 'broadcast',
	operations: [create, downloadCsvTemplate, get, getAll],
};
