import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { recordOf } from '../../nodes/ConversationalMessaging/api/record.ts';
import { textOf } from '../../nodes/ConversationalMessaging/api/text.ts';
import { assumption, fails, failsAt, holds, cannotTell } from '../assumption.mts';
import { wordsOf } from '../names.mts';
import { typesAt, whyNot } from '../observe.mts';
import { isOk, type ListReading, type Reading } from '../service.mts';
import { say } from '../shown.mts';

const NUMBER_WORDS = [
	'number',
	'num',
	'no',
	'nr',
	'ref',
	'reference',
	'code',
	'sequence',
	'seq',
	'key',
];

interface Observed {
	list: ListReading;
	key?: string;
	id?: string;
	byNumber?: Reading;
}

export const ticketNumber = assumption<Observed>({
	id: 'ticket-number',
	question:
		'Does a ticket show its number as ticketNumber or number, and can it be read by this number?',
	settles: [],
	otherwise:
		'The list of tickets in the editor shows titles without numbers. With By ID, the number works only if the service accepts it.',
	async observe(service) {
		const list = await service.largePage('tickets');
		const row = list.rows.find((entry) => idOf(entry) !== undefined);
		const key = row && numberKey(row, list.rows);
		if (!row || key === undefined) return { list };
		const byNumber = await service.read('GET /tickets/{id}', { path: { id: textOf(row[key]) } });
		return { list, key, id: idOf(row), byNumber };
	},
	judge({ list, key, id, byNumber }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		if (list.rows.length === 0) return cannotTell(say`there are no tickets`);
		if (key === undefined || !byNumber) return fails(say`no key looks like a number`);
		const seen = say`${names.key(key)} (${typesAt(list.rows, [key])})`;
		if (byNumber.failure || byNumber.response?.status === 403)
			return cannotTell(seen, whyNot(byNumber));
		const found = isOk(byNumber) && recordOf(byNumber.response?.json, ['ticket']).id === id;
		const isDocumented = USUAL.includes(key);
		if (!found && !isDocumented)
			return cannotTell(
				seen,
				say`reading a ticket by it does not return it: it may be something else`,
			);
		if (!found)
			return failsAt(
				['GET /tickets/{id}'],
				seen,
				say`reading a ticket by this number does not return it (${byNumber.response?.status ?? 0})`,
			);
		return isDocumented
			? holds(seen, say`reading a ticket by it returns it`)
			: fails(seen, say`reading a ticket by it returns it`);
	},
});

/** The names that the nodes read. */
const USUAL = ['ticketNumber', 'number'];

/** The key of a ticket's number: a usual name first, then what is called a number and differs from ticket to ticket. */
function numberKey(row: IDataObject, rows: readonly IDataObject[]): string | undefined {
	const differs = (name: string): boolean =>
		new Set(rows.map((entry) => textOf(entry[name]))).size === rows.length;
	const keys = Object.keys(row).filter((name) => textOf(row[name]) !== '' && differs(name));
	const usual = USUAL.find((name) => keys.includes(name));
	const named = keys.filter((key) => {
		const words = wordsOf(key);
		const isOthers = words.some((word) => ['phone', 'contact', 'chat', 'id'].includes(word));
		return !isOthers && words.some((word) => NUMBER_WORDS.includes(word));
	});
	return usual ?? named[0];
}
