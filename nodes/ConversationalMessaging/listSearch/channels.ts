import { valueOf } from '../api/response/response';
import { listEntry, searchMethod } from './search';

export const searchChannels = searchMethod({
	action: 'List channels',
	endpoint: 'GET /channels',
	rowsName: 'channels',
	paged: false,
	toEntry: (row) =>
		listEntry(row.id, row.name, row.type ?? row.channel, valueOf(row, 'phoneNumber')),
});
