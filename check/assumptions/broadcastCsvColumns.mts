import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { templateOf } from '../../nodes/ConversationalMessaging/parameters/template.ts';
import { variablesOf } from '../../nodes/ConversationalMessaging/parameters/templateVariables.ts';
import { phoneColumnOf } from '../../nodes/ConversationalMessaging/resources/broadcast/phoneColumn.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { columnsOf, shownColumns, type CsvObserved } from '../csvColumns.mts';
import { whyNot } from '../observe.mts';
import { isOk } from '../service.mts';
import { say } from '../shown.mts';

export const broadcastCsvColumns = assumption<CsvObserved>({
	id: 'broadcast-csv-columns',
	question: "Do the nodes recognize the column for the phone number in a template's CSV?",
	settles: ['getBroadcastCsvTemplate: the columns'],
	otherwise:
		'A CSV made from input items is sent with the phone numbers as they are: they are neither checked nor freed of spaces, and repeated numbers are not recognized.',
	async observe(service) {
		const list = await service.largePage('templates');
		const template = list.rows.map(templateOf).find((found) => found !== undefined);
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
		const row = list.rows.filter(isRecord).find((candidate) => templateOf(candidate) !== undefined);
		const variables = variablesOf(row?.components).map(({ id }) => id);
		const isRecognized = phoneColumnOf(columns, variables).name !== undefined;
		const shown = shownColumns(columns, names, isRecognized).seen;
		return isRecognized ? holds(shown) : fails(shown);
	},
});
