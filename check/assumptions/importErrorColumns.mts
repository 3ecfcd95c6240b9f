import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { columnsOf, shownColumns, type CsvObserved } from '../csvColumns.mts';
import { whyNot } from '../observe.mts';
import { detail } from '../observations.mts';
import { isOk } from '../service.mts';
import { say } from '../shown.mts';

export const importErrorColumns = assumption<CsvObserved>({
	id: 'import-error-columns',
	question: 'Does the report of rejected rows begin with a row that names its columns?',
	settles: ['getContactImportErrors: the columns'],
	otherwise:
		'The rejected rows are returned with the first row as the names of their fields, whatever it contains.',
	async observe(service) {
		const { id, list } = await detail(service, 'imports');
		if (id === undefined) return { list };
		const reading = await service.read(
			'GET /contacts/imports/{id}/errors',
			{ path: { id } },
			{ body: 'csv' },
		);
		return { list, reading, file: await columnsOf(reading) };
	},
	judge({ list, reading, file }, { names }) {
		if (!reading || !file)
			return cannotTell(list.path ? say`there are no import jobs` : whyNot(list.reading));
		const { columns, seen } = file;
		if (!columns)
			// A job without rejected rows may have an empty report, or none.
			return isOk(reading) && reading.response?.text.trim() !== '' ? fails(seen) : cannotTell(seen);
		const shown = shownColumns(columns, names);
		return shown.isHeader ? holds(shown.seen) : fails(shown.seen);
	},
});
