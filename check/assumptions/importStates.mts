import { progressOf } from '../../nodes/ConversationalMessaging/api/progress.ts';
import { statusOf } from '../../nodes/ConversationalMessaging/api/response.ts';
import { assumption, failsAt, holds, cannotTell } from '../assumption.mts';
import { allPaths, typesAt, valueAt, whyNot } from '../observe.mts';
import { detail, type Detail } from '../observations.mts';
import { join, literal, say, type Shown } from '../shown.mts';
import { spellingOf } from '../spelling.mts';
import { wordsOf } from '../names.mts';
import type { IDataObject } from 'n8n-workflow';
import type { Names } from '../names.mts';

export const importStates = assumption<Detail>({
	id: 'import-states',
	question: 'Do the nodes understand the states of import jobs: which mean that a job has ended?',
	settles: [
		'getContactImport: the states besides queued and processing, their spelling, and whether a job shows its state',
		'getContactImport: the names of the counters',
	],
	otherwise:
		'Wait for Completion waits until its time has passed. The trigger reports such a state as it is.',
	observe: async (service) => await detail(service, 'imports'),
	judge({ list }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		const { rows } = list;
		if (rows.length === 0) return cannotTell(say`there are no import jobs`);
		const counters = counterKeys(rows, names);
		const states = rows.map(statusOf);
		if (states.every((state) => state === undefined)) {
			return failsAt(
				['GET /contacts/imports', 'GET /contacts/imports/{id}'],
				say`jobs show no state`,
				...counters,
			);
		}
		const spelled = [...new Set(states.filter((state) => state !== undefined))];
		const unclear = spelled.filter((state) => progressOf(state) === 'unknown');
		const seen = [
			say`${names.words(spelled)} (${literal(spellingOf(spelled))})`,
			...(unclear.length > 0 ? [say`not understood: ${unclear.length} of ${spelled.length}`] : []),
			...counters,
		];
		return unclear.length === 0
			? holds(...seen)
			: failsAt(['GET /contacts/imports', 'GET /contacts/imports/{id}'], ...seen);
	},
});

function counterKeys(rows: readonly IDataObject[], names: Names): Shown[] {
	const counting = [
		'total',
		'count',
		'rows',
		'processed',
		'failed',
		'success',
		'succeeded',
		'imported',
		'created',
		'updated',
		'skipped',
		'errors',
		'invalid',
		'valid',
		'done',
		'duplicates',
	];
	const paths = allPaths(rows, 2).filter(
		(path) =>
			path.some((key) => wordsOf(key).some((word) => counting.includes(word))) &&
			rows.some((row) => typeof valueAt(row, path) === 'number' && !/at$/i.test(path.at(-1) ?? '')),
	);
	return paths.length > 0
		? [
				say`counters: ${join(paths.map((path) => say`${names.path(path)} (${typesAt(rows, path)})`))}`,
			]
		: [];
}
