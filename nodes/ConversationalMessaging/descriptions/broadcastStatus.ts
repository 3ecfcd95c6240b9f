import type { INodePropertyOptions } from 'n8n-workflow';

/** All statuses of a broadcast (API document, section States). */
export const broadcastStatusOptions: INodePropertyOptions[] = [
	{ name: 'Cancelled', value: 'CANCELLED' },
	{ name: 'Completed', value: 'COMPLETED' },
	{ name: 'Failed', value: 'FAILED' },
	{ name: 'Partial', value: 'PARTIAL' },
	{ name: 'Processing', value: 'PROCESSING' },
	{ name: 'Queued', value: 'QUEUED' },
	{ name: 'Scheduled', value: 'SCHEDULED' },
];
