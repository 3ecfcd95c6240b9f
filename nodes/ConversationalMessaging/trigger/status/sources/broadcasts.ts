import { broadcastStatusOptions } from '../../../descriptions/broadcastStatus';
import { type StatusSource, listedAt, listsByStatus } from './source';

/** API document, `GET /broadcasts` and section States. Which status follows which is not shown. */
export const broadcasts: StatusSource = {
	event: 'broadcastStatusChanged',
	noun: 'broadcast',
	...listedAt('GET /broadcasts'),
	recordEndpoint: 'GET /broadcasts/{id}',
	statuses: (parameters) => parameters.options('broadcastStatuses'),
	lists: () => listsByStatus(broadcastStatusOptions.map(({ value }) => String(value))),
	showsNewRecords: true,
	filters: { channelId: 'channelId' },
	nameOf: ({ record: { name } }) => ({ title: name, name }),
	example: { name: 'Example', status: 'COMPLETED' },
};
