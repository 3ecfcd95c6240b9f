import { statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { templateFromRow } from '../../nodes/ConversationalMessaging/parameters/template.ts';
import { assumption, failsAt, fails, holds, cannotTell } from '../assumption.mts';
import { whyNot } from '../observe.mts';
import { count, say } from '../shown.mts';

export const templateStatus = assumption({
	id: 'template-status',
	question: 'Does a template show its ID, its name, its language and its approval status?',
	settles: ['createTemplate: the values of the approval status'],
	otherwise:
		'A template without ID, name and language cannot be picked; without a status, the list shows none.',
	observe: async (service) => await service.largePage('templates'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		if (rows.length === 0) return cannotTell(say`there are no templates`);
		const unusable = rows.filter((row) => templateFromRow(row) === undefined).length;
		const shown = rows.map(statusOf).filter((status) => status !== undefined);
		const seen = shown.length > 0 ? say`status: ${names.words(shown)}` : say`no status`;
		if (unusable > 0)
			return failsAt(
				['GET /templates'],
				say`no ID, name or language in ${unusable} of ${count(rows.length, 'template')}`,
				seen,
			);
		return shown.length === rows.length ? holds(seen) : fails(seen);
	},
});
