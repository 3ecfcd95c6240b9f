import { progressOf } from '../../../api/response/progress';
import { valueOf } from '../../../api/response/response';
import { type StatusSource, listedAt } from './source';

/**
 * API document, `GET /contacts/imports`: a list of recent jobs without pages. The document names only two states,
 * queued and processing; whether a job is still running is read from the name of its state. If the name is unknown, it is not
 * looked up: it would be in every poll if that is how it has ended.
 */
export const importJobs: StatusSource = {
	event: 'importJobStatusChanged',
	noun: 'import job',
	...listedAt('GET /contacts/imports'),
	recordEndpoint: 'GET /contacts/imports/{id}',
	statuses: (parameters) => parameters.options('importStatuses'),
	lists: () => [{ status: '' }],
	looksUp: (status) => progressOf(status) === 'running',
	showsNewRecords: true,
	filters: {},
	nameOf: ({ record }) => {
		const fileName = valueOf(record, 'fileName');
		return { title: fileName, fileName };
	},
	example: { fileName: 'example.csv', status: 'completed' },
};
