import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { allPaths, typesAt, whyNot } from '../observe.mts';
import { join, say } from '../shown.mts';

export const templateComponents = assumption({
	id: 'template-components',
	question: 'Does a template show its components as a list of records with a type?',
	settles: ['createTemplate: the form of a component'],
	otherwise:
		'The editor offers no fields for the variables of a template: enter the components as JSON.',
	observe: async (service) => await service.largePage('templates'),
	judge({ path, rows, reading }, { names }) {
		if (!path) return cannotTell(whyNot(reading));
		if (rows.length === 0) return cannotTell(say`there are no templates`);
		const lists = rows.filter(({ components }) => Array.isArray(components));
		if (lists.length === 0)
			return failsAt(['GET /templates'], say`components: ${typesAt(rows, ['components'])}`);
		const parts = lists.flatMap(({ components }) => components as unknown[]);
		const records = parts.filter((part): part is IDataObject => isRecord(part));
		if (records.length === 0)
			return parts.length === 0
				? cannotTell(say`no template has components`)
				: failsAt(['GET /templates'], say`components are not records`);
		const typed = records.filter(({ type }) => typeof type === 'string');
		const seen = [
			say`types: ${names.words(typed.map(({ type }) => type))}`,
			join(
				allPaths(records, 2).map(
					(keys) => say`${names.path(keys)} (${typesAt(records.slice(0, 50), keys)})`,
				),
			),
		];
		return typed.length === parts.length ? holds(...seen) : failsAt(['GET /templates'], ...seen);
	},
});
