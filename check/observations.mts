/** Readings that several assumptions share. */
import type { IDataObject } from 'n8n-workflow';
import { idOf } from '../nodes/ConversationalMessaging/api/pages.ts';
import type { ListName } from './lists.mts';
import { LISTS } from './lists.mts';
import { LARGE_PAGE, type ListReading, type Reading, type Service } from './service.mts';

/** Chats whose messages are read. */
const CHATS = 3;

/** The messages of a few chats: of the first, the middle and the last one of the list. */
export async function messageReadings(service: Service): Promise<ListReading[]> {
	const found: ListReading[] = [];
	for (const chat of await sampledChats(service)) {
		const path = { id: idOf(chat) as string };
		const endpoint = 'GET /chats/{id}/messages';
		const large = await service.list(endpoint, ['messages'], { path, query: { take: LARGE_PAGE } });
		found.push(
			large.path
				? large
				: await service.list(endpoint, ['messages'], { path, query: { take: 100 } }),
		);
	}
	return found;
}

export async function sampledChats(service: Service): Promise<IDataObject[]> {
	const { rows } = await service.largePage('chats');
	const withId = rows.filter((row) => idOf(row) !== undefined);
	const places = new Set([0, Math.floor(withId.length / 2), withId.length - 1].slice(0, CHATS));
	return withId.filter((_row, index) => places.has(index));
}

/** A record of its own route, and the row of the list that it was found with. */
export interface Detail {
	row?: IDataObject;
	id?: string;
	/** Undefined if the list has no record. */
	reading?: Reading;
	list: ListReading;
}

const DETAILS = {
	tickets: 'GET /tickets/{id}',
	chats: 'GET /chats/{id}',
	contacts: 'GET /contacts/{id}',
	broadcasts: 'GET /broadcasts/{id}',
	imports: 'GET /contacts/imports/{id}',
	segments: 'GET /segments/{id}',
	channels: 'GET /channels/{id}',
} as const;

export type DetailName = keyof typeof DETAILS;

/** One record in full: the first of its list. */
export async function detail(service: Service, name: DetailName): Promise<Detail> {
	const list = await service.largePage(name);
	const row = list.rows.find((entry) => jobOrRecordId(entry, name) !== undefined);
	const id = row && jobOrRecordId(row, name);
	if (id === undefined) return { list };
	return { list, row, id, reading: await service.read(DETAILS[name], { path: { id } }) };
}

/** The ID of a row. Jobs may call it after their kind. */
function jobOrRecordId(row: IDataObject, name: ListName): string | undefined {
	const own: Partial<Record<ListName, string[]>> = {
		imports: ['importId', 'jobId', 'importJobId'],
		broadcasts: ['broadcastId', 'campaignId'],
	};
	const value = (own[name] ?? []).map((key) => row[key]).find((id) => id !== undefined);
	return (
		idOf(row) ??
		(typeof value === 'string' || typeof value === 'number' ? String(value) : undefined)
	);
}

/** A list, and one page of each of these filters. */
export async function filtered(
	service: Service,
	name: ListName,
	queries: Record<string, string>[],
): Promise<ListReading[]> {
	const readings: ListReading[] = [];
	for (const query of queries)
		readings.push(
			await service.list(LISTS[name].endpoint, [name], { query: { ...query, limit: 50 } }),
		);
	return readings;
}
