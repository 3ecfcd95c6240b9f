import { idOf } from '../../nodes/ConversationalMessaging/api/pages.ts';
import { assumption, fails, holds, cannotTell } from '../assumption.mts';
import { activityKeys, type ChatWithMessages } from '../chatActivity.mts';
import { whyNot } from '../observe.mts';
import { messageReadings, sampledChats } from '../observations.mts';
import type { ListReading } from '../service.mts';
import { join, say } from '../shown.mts';
import type { IDataObject } from 'n8n-workflow';

interface Observed {
	list: ListReading;
	chats: { row: IDataObject; messages: ListReading }[];
}

export const chatActivity = assumption<Observed>({
	id: 'chat-activity',
	question: 'Does the row of a chat show the time, the ID or the number of its messages?',
	settles: [],
	otherwise:
		'A new message cannot be recognized from the list of chats: the messages of each chat have to be read.',
	async observe(service) {
		const list = await service.largePage('chats');
		const lists = await messageReadings(service);
		const rows = await sampledChats(service);
		const chats = rows.flatMap((row) => {
			const messages = lists.find(({ reading }) => reading.params.path?.id === idOf(row));
			return messages ? [{ row, messages }] : [];
		});
		return { list, chats };
	},
	judge({ list, chats }, { names }) {
		if (!list.path) return cannotTell(whyNot(list.reading));
		const known = chats.flatMap(({ row, messages }): ChatWithMessages[] => {
			const size = messages.meta.total ?? messages.length;
			return messages.rows.length > 0
				? [{ row, messages: messages.rows, isComplete: size <= messages.length }]
				: [];
		});
		if (known.length === 0) return cannotTell(say`no chat with messages was read`);
		const { times, ids, counts } = activityKeys(known, list.reading.at);
		// A single small number equals a count by chance; several different ones do not.
		const isCounted = new Set(known.map(({ messages }) => messages.length)).size > 1;
		const seen = [
			...(times.length > 0
				? [say`time of the newest message: ${join(times.map((path) => names.path(path)))}`]
				: []),
			...(ids.length > 0 ? [say`its ID: ${join(ids.map((path) => names.path(path)))}`] : []),
			...(counts.length > 0 && isCounted
				? [say`number of messages: ${join(counts.map((path) => names.path(path)))}`]
				: []),
		];
		if (seen.length === 0) return fails(say`none of its keys, in ${known.length} chats`);
		return known.length === 1 && times.length + ids.length === 0
			? cannotTell(...seen)
			: holds(...seen, say`compared in ${known.length} chats`);
	},
});
