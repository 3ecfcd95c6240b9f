import type { PageSize } from '../contract.mts';
import type { SandboxOptions } from '../options.mts';
import type { Channel, ChannelType, Contact } from '../records.mts';
import { type Reply, invalid, metaOf, notFound, pageOf } from '../replies.mts';
import type { Table } from '../table.mts';
import type { World } from '../world.mts';

/** A request that is authorized and valid. Query values have the contract's types. */
export interface ServiceCall {
	world: World;
	options: SandboxOptions;
	params: Record<string, string>;
	query: Query;
	body: Record<string, unknown>;
	/** The uploaded file of a multipart request. */
	file?: { name: string; text: string };
	/** Default and maximum of the page size, if the contract has them. */
	pageSize?: PageSize;
}

interface Query {
	page?: number;
	limit?: number;
	take?: number;
	[name: string]: string | number | boolean | undefined;
}

/** Handlers of a resource, by the operationId of the contract. */
export type Service = Record<string, (call: ServiceCall) => Reply>;

/** One page of a table, newest first, or as sorted. */
export function tablePage<T extends { id: string }>(
	call: ServiceCall,
	name: string,
	table: Table<T>,
	keep: ((row: T) => boolean) | undefined,
	view: (row: T) => unknown = (row) => row,
	sort?: (rows: T[]) => T[],
): Reply {
	const page = pageOf(call.query, call.pageSize as PageSize);
	const { rows, total } = sort
		? pageOfRows(sort(table.filter(keep ?? (() => true))), page)
		: table.page(keep, page);
	return { kind: 'list', name, rows: rows.map(view), meta: metaOf(total, page) };
}

const pageOfRows = <T,>(rows: T[], { page, limit }: { page: number; limit: number }) => ({
	rows: rows.slice((page - 1) * limit, page * limit),
	total: rows.length,
});

/** Text of a field that the contract has already checked, and that it does not accept empty; undefined if it is missing. */
export function text(fields: Record<string, unknown>, name: string): string | undefined {
	const value = fields[name];
	return typeof value === 'string' ? value : undefined;
}

/**
 * The channel instance that a request names; undefined if it names none. `status` is what the route lists: an unknown
 * record is 404 where that is listed, and 400 elsewhere (`x-undocumented`).
 *
 * @throws HttpError if there is none with this ID, or if it has another type
 */
export function namedChannel(
	{ world, query, body }: ServiceCall,
	type: ChannelType,
	status: 400 | 404,
): Channel | undefined {
	const channelId = text(body, 'channelId') ?? text(query, 'channelId');
	if (channelId === undefined) return undefined;
	const channel = world.channels.get(channelId);
	if (!channel) throw status === 404 ? notFound('Channel') : invalid('The channel does not exist');
	if (channel.type !== type) throw invalid(`The channel is not a ${type} channel`);
	return channel;
}

/**
 * The contact that a request names; undefined if it names none. If several IDs are given, they must be of one contact
 * (`x-undocumented`). `status` is what the route lists, as for channels.
 *
 * @throws HttpError if there is none with one of these IDs, or if they are of several contacts
 */
export function namedContact(
	world: World,
	{ id, waId, igId }: { id?: string; waId?: string; igId?: string },
	status: 400 | 404,
): Contact | undefined {
	const found = [
		...(id ? [world.contacts.get(id)] : []),
		...(waId ? [world.findContactByWaId(waId)] : []),
		...(igId ? [world.findContactByIgId(igId)] : []),
	];
	if (found.includes(undefined))
		throw status === 404 ? notFound('Contact') : invalid('The contact does not exist');
	if (new Set(found).size > 1) throw invalid('The IDs are of different contacts');
	return found[0];
}

/** @throws HttpError 400 if the ID in a field is not that of a user (`x-undocumented`) */
export function requireUser({ world, body }: ServiceCall, field: string): void {
	const id = text(body, field);
	if (id && !world.users.get(id)) throw invalid(`${field} is not a user of the organization`);
}

/** The ID of a new broadcast or import job: a cuid, or a number if `shapes` says so. */
export function newJobId(
	world: World,
	jobs: Table<{ id: string }>,
	options: SandboxOptions,
): string {
	return options.shapes.jobIdType === 'number' ? String(100_001 + jobs.size) : world.newId();
}
