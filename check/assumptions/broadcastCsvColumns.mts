import { templateFromRow } from '../../nodes/ConversationalMessaging/parameters/template.ts';
import { DEFAULT_PHONE_COLUMN } from '../../nodes/ConversationalMessaging/resources/broadcast/fields.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { columnsOf, shownColumns, type CsvObserved } from '../csvColumns.mts';
import { whyNot } from '../observe.mts';
import { isOk } from '../service.mts';
import { say } from '../shown.mts';

export const broadcastCsvColumns = assumption<CsvObserved>({
	id: 'broadcast-csv-columns',
	question: "Is the column for the phone number in a template's CSV called phone?",
	settles: ['getBroadcastCsvTemplate: the columns'],
	otherwise:
		'Before a broadcast to CSV From Input Items, set Phone Column to the name of the column with the phone numbers.',
	async observe(service) {
		const list = await service.largePage('templates');
		const template = list.rows.map(templateFromRow).find((found) => found !== undefined);
		if (!template) return { list };
		const query = { templateName: template.name, templateLanguage: template.language };
		const reading = await service.read('GET /broadcasts/csv-template', { query }, { body: 'csv' });
		return { list, reading, file: await columnsOf(reading) };
	},
	judge({ list, reading, file }, { names }) {
		if (!reading || !file)
			return list.path
				? list.rows.length === 0
					? cannotTell(say`there are no templates`)
					: failsAt(
							['GET /broadcasts/csv-template', 'POST /broadcasts'],
							say`no template shows its ID, name and language`,
						)
				: cannotTell(whyNot(list.reading));
		const { columns, seen } = file;
		if (!columns)
			return isOk(reading)
				? failsAt(['GET /broadcasts/csv-template', 'POST /broadcasts'], seen)
				: cannotTell(seen);
		const isThere = columns.includes(DEFAULT_PHONE_COLUMN);
		const shown = shownColumns(columns, names, isThere).seen;
		return isThere ? holds(shown) : fails(shown);
	},
});
