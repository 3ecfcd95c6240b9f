import { broadcastStatusOptions, MOVING_BROADCASTS } from '../../fields/broadcastStatus';
import { compact } from '../../fields/parameters';
import type { Kind } from '../kind';
import { upperCase } from '../kind';

const ENDED = broadcastStatusOptions
	.map(({ value }) => String(value))
	.filter((status) => !MOVING_BROADCASTS.includes(status));

/** API document, `GET /broadcasts` and section States. Which status follows which is not shown. */
export const broadcasts: Kind = {
	event: 'broadcastStatusChanged',
	noun: 'broadcast',
	statusesField: 'broadcastStatuses',
	list: 'GET /broadcasts',
	detail: 'GET /broadcasts/{id}',
	rowsName: 'broadcasts',
	pageSize: 200,
	layout: 'pages',
	parts: MOVING_BROADCASTS.map((status) => ({ query: { status }, status })),
	hasEnded: (status) => ENDED.includes(status),
	spell: upperCase,
	strangerWas: null,
	narrow: (filters) => compact({ channelId: filters.id('channelId') }),
};
