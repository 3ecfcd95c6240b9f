import type { IDataObject } from 'n8n-workflow';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { LIST_NAMES, type ListName } from '../lists.mts';
import { allPaths, typesAt } from '../observe.mts';
import type { ListReading } from '../service.mts';
import { count, join, literal, say } from '../shown.mts';

/** Names that the document uses in requests and filters (API document, section Resources and their fields). */
const DOCUMENTED: Partial<Record<ListName, readonly string[]>> = {
	contacts: ['id', 'name', 'customName', 'waId', 'igId', 'igUsername'],
	segments: ['id', 'name', 'description', 'isDynamic', 'rules'],
	templates: ['name', 'category', 'language', 'components'],
	tickets: ['id', 'title', 'status', 'priority', 'assigneeId', 'contactId', 'chatId'],
	chats: ['id', 'channel', 'channelId', 'contactId'],
	broadcasts: ['id', 'name', 'status', 'channelId'],
};

export const recordFields = assumption<{ name: ListName; list: ListReading }[]>({
	id: 'record-fields',
	question: 'Do returned records use the names that the document uses in requests?',
	settles: [
		'contract: the fields of returned records, apart from names known from requests and filters',
	],
	otherwise:
		'Records are returned unchanged. Lists in the editor show fewer details, and examples need other expressions.',
	async observe(service) {
		const lists = [];
		for (const name of LIST_NAMES) lists.push({ name, list: await service.largePage(name) });
		return lists;
	},
	judge(lists, { names }) {
		const judged = lists.flatMap(({ name, list: { rows } }) => {
			const documented = DOCUMENTED[name];
			if (!documented || rows.length === 0) return [];
			const missing = documented.filter((key) => !rows.some((row) => key in row));
			return [{ name, missing }];
		});
		if (judged.length === 0) return cannotTell(say`no records were read`);
		const lacking = judged.filter(({ missing }) => missing.length > 0);
		const seen = lacking.map(
			({ name, missing }) => say`${literal(name)} without ${names.keys(missing)}`,
		);
		return lacking.length === 0 ? holds(say`in ${count(judged.length, 'list')}`) : fails(...seen);
	},
});

/** Keys of records with the types of their values, for the report. */
export const shownFields = (
	rows: readonly IDataObject[],
	names: Parameters<typeof recordFields.judge>[1]['names'],
) =>
	join(
		allPaths(rows, 2).map((path) => say`${names.path(path)} (${typesAt(rows.slice(0, 50), path)})`),
	);
