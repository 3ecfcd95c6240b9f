import type { INodePropertyOptions } from 'n8n-workflow';

/** Statuses of a broadcast that is not final yet (API document, section States). */
export const ACTIVE_BROADCAST_STATUSES = ['SCHEDULED', 'QUEUED', 'PROCESSING'];

/** All statuses of a broadcast. */
export const broadcastStatusOptions: INodePropertyOptions[] = [
	{ name: 'Cancelled', value: 'CANCELLED' },
	{ name: 'Completed', value: 'COMPLETED' },
	{ name: 'Failed', value: 'FAILED' },
	{ name: 'Partial', value: 'PARTIAL' },
	{ name: 'Processing', value: 'PROCESSING' },
	{ name: 'Queued', value: 'QUEUED' },
	{ name: 'Scheduled', value: 'SCHEDULED' },
];
