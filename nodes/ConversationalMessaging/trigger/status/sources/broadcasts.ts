import { broadcastStatusOptions } from '../../../descriptions/broadcastStatus';
import type { StatusSource } from './source';
import { listsByStatus, upperCase } from './source';

/** API document, `GET /broadcasts` and section States. Which status follows which is not shown. */
export const broadcasts: StatusSource = {
	event: 'broadcastStatusChanged',
	noun: 'broadcast',
	list: 'GET /broadcasts',
	recordEndpoint: 'GET /broadcasts/{id}',
	rowsName: 'broadcasts',
	pageSize: 200,
	hasPages: true,
	statuses: (parameters) => parameters.options('broadcastStatuses'),
	lists: () => listsByStatus(broadcastStatusOptions.map(({ value }) => String(value))),
	normalizeStatus: upperCase,
	showsNewRecords: true,
	filters: { channelId: 'channelId' },
	nameOf: ({ record: { name } }) => ({ title: name, name }),
	example: { name: 'Example', status: 'COMPLETED' },
};
