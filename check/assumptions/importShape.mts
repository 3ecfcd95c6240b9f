import { assumption } from '../assumption.mts';
import { judgeRecord } from '../jobShape.mts';
import { detail, type Detail } from '../observations.mts';

export const importShape = assumption<Detail>({
	id: 'import-shape',
	question: 'Do the nodes find an import job and its ID in the response?',
	settles: [
		"getContactImport: the name and the type of the job's ID, and whether the job is directly in data or under a name",
	],
	otherwise: 'Get and Wait for Completion cannot follow the job.',
	observe: async (service) => await detail(service, 'imports'),
	judge: (observed, { names }) => judgeRecord(observed, 'GET /contacts/imports/{id}', names),
});
