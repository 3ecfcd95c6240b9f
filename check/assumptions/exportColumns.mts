import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { columnsOf, shownColumns } from '../csvColumns.mts';
import { isOk } from '../service.mts';

export const exportColumns = assumption({
	id: 'export-columns',
	question: 'Does the export of contacts begin with a row that names its columns?',
	settles: ['exportContacts: the columns'],
	otherwise:
		'Export as items uses the first row as the names of the fields, whatever it contains. Export as a file is unchanged.',
	async observe(service) {
		const reading = await service.read('GET /contacts/export', {}, { body: 'csv' });
		return { reading, ...(await columnsOf(reading)) };
	},
	judge({ reading, columns, seen }, { names }) {
		if (!columns) return isOk(reading) ? fails(seen) : cannotTell(seen);
		const shown = shownColumns(columns, names);
		return shown.isHeader ? holds(shown.seen) : fails(shown.seen);
	},
});
