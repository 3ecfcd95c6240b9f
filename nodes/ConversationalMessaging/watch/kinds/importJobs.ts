import { progressOf } from '../../api/progress';
import type { Kind } from '../kind';

/**
 * API document, `GET /contacts/imports`: a list of recent jobs without pages. Only two states are named, queued and
 * processing; a name of one of the usual kinds tells that a job has ended.
 */
export const importJobs: Kind = {
	event: 'importJobStatusChanged',
	noun: 'import job',
	statusesField: 'importStatuses',
	list: 'GET /contacts/imports',
	detail: 'GET /contacts/imports/{id}',
	rowsName: 'imports',
	pageSize: 200,
	layout: 'recent',
	parts: [],
	hasEnded: (status) => progressOf(status) === 'ended',
	// As the service spells it: there is no documented spelling to keep to.
	spell: (status) => status,
	strangerWas: null,
	narrow: () => ({}),
};
