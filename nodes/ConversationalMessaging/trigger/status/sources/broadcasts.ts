import { broadcastStatusOptions } from '../../../descriptions/broadcastStatus';
import type { StatusSource } from './source';
import { upperCase } from './source';

const STATUSES = broadcastStatusOptions.map(({ value }) => String(value));

/** API document, `GET /broadcasts` and section States. Which status follows which is not shown. */
export const broadcasts: StatusSource = {
	event: 'broadcastStatusChanged',
	noun: 'broadcast',
	statusesField: 'broadcastStatuses',
	list: 'GET /broadcasts',
	detail: 'GET /broadcasts/{id}',
	rowsName: 'broadcasts',
	pageSize: 200,
	layout: 'pages',
	partitions: STATUSES.map((status) => ({ query: { status }, status })),
	normalizeStatus: upperCase,
	showsNewRecords: true,
	firstStatuses: ['QUEUED', 'SCHEDULED'],
	filters: { channelId: 'channelId' },
};
