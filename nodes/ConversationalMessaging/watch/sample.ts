import type { IDataObject } from 'n8n-workflow';
import type { Filter, Kind, Part, Reader, Sighting, Watched } from './kind';
import { isChosen } from './events';
import { sightingsIn } from './reading';

/** Names under which a record may tell when it was made; not documented. */
const CREATED = ['createdAt', 'created_at', 'created'];

/**
 * The newest record that a person would hear of, for "Fetch Test Event".
 *
 * @returns undefined when there is none
 */
export async function newest(
	reader: Reader,
	{ kind, filter, details }: Watched,
): Promise<Sighting | undefined> {
	const lists = await Promise.all(
		partsFor(kind, filter).map(async (part) => await newestIn(reader, kind, part)),
	);
	const wanted = lists
		.flat()
		.filter(({ status }) => isChosen(status, filter))
		.sort((one, other) => createdAt(other.record) - createdAt(one.record));
	const [first] = wanted;
	if (!first || !details) return first;
	return { ...first, record: (await reader.record(first.id)) ?? first.record };
}

/** The lists that show such records: one per status, where the service can filter by it. */
function partsFor(kind: Kind, filter: Filter): Part[] {
	const { statuses } = filter;
	if (kind.restingPart) {
		const parts = [...kind.parts, kind.restingPart];
		return parts.filter(({ status }) => isChosen(status, filter));
	}
	if (kind.layout === 'recent' || statuses.length === 0) return [{ query: {}, status: '' }];
	return statuses.map((status) => ({ query: { status }, status }));
}

/** The first page, and the last one if the list begins with the oldest: its order is not documented. */
async function newestIn(reader: Reader, kind: Kind, part: Part): Promise<Sighting[]> {
	const limit = kind.pageSize;
	const paged = kind.layout === 'recent' ? {} : { page: 1 };
	const { rows, meta } = await reader.page({ ...part.query, ...paged, limit });
	const first = sightingsIn(rows, kind, part);
	const pages = meta.totalPages ?? 1;
	const [top, bottom] = [first[0], first.at(-1)];
	const oldestFirst = top && bottom && createdAt(top.record) < createdAt(bottom.record);
	if (!oldestFirst || pages < 2) return first;
	const last = await reader.page({ ...part.query, page: pages, limit });
	return [...first, ...sightingsIn(last.rows, kind, part)];
}

/** In milliseconds since the epoch; 0 when the record does not tell. */
function createdAt(record: IDataObject): number {
	const value = CREATED.map((name) => record[name]).find((candidate) => candidate !== undefined);
	const time = typeof value === 'number' ? value : Date.parse(String(value));
	return Number.isFinite(time) ? time : 0;
}
