import type { IDataObject } from 'n8n-workflow';
import type { Shown } from '../../../api/access/shown';
import { type Endpoint, type ListEndpoint, pagingOf } from '../../../api/endpoint';
import type { Page } from '../../../api/reads/pages';
import type { TriggerParameters } from '../../../parameters/parameters';
import type { EventBudget } from '../../budget';

/** A record in one response of the service. */
export interface ObservedRecord {
	/** Identifies it in memory: its ID, or, of a record that can be in several lists at once, also the list. */
	key: string;
	id: string;
	/** In the source's spelling. */
	status: string;
	record: IDataObject;
	/** Whether its record is in full, as by its ID. */
	isFull?: boolean;
	/** The record that its list belongs to, e.g. a segment; undefined for a list of its own. */
	owner?: IDataObject;
}

/** A list of the service that every poll reads: at least its first page. */
export interface List {
	/** The status of its records; '' if they contain it themselves, and may have several. */
	status: string;
	/** What its requests have beside the user's filters, the page and the limit. */
	query?: IDataObject;
	path?: Record<string, string>;
}

/** The names of the fields under Filters. */
export type FilterName = 'agentId' | 'category' | 'channelId' | 'contactId' | 'language';

/** The result of looking up a record by its ID. */
export type LookupResult =
	| { is: 'found'; observed: ObservedRecord }
	| { is: 'deleted' }
	/** It exists, but no longer belongs to the subscription, e.g. it is assigned to another agent. */
	| { is: 'outOfScope' }
	/** It exists, but the service did not show its status. */
	| { is: 'unknown' };

/** A kind of record whose status is tracked: where it is listed, and how to interpret it. */
export interface StatusSource {
	/** The value of its event. */
	event: string;
	/** As shown, e.g. "ticket". */
	noun: string;
	list: ListEndpoint;
	/** Returns one record in full; undefined if the service has no such endpoint. */
	recordEndpoint?: Endpoint;
	/** The largest page of the list; without pages, the limit to request. */
	pageSize: number;
	hasPages: boolean;
	/** The statuses that the user chose; all if empty. */
	statuses(parameters: TriggerParameters): string[];
	/** @param statuses the chosen ones */
	lists(statuses: readonly string[]): List[];
	/**
	 * The list of what left the others, which is too long for every poll. As the other lists do not show what left them, each poll
	 * reads them in full, whatever their length.
	 */
	otherList?: List;
	/** Whether what a list does not show any more, although it did not change while it was read, has left it for certain. */
	absenceIsRemoval?: boolean;
	/** Whether a record of this status is looked up once its list does not show it any more. By default, it is. */
	looksUp?: (status: string) => boolean;
	/** Whether a record that is seen for the first time was created. A chat that is escalated was not. */
	showsNewRecords: boolean;
	/** The query parameter for each of Filters that its list knows. */
	filters: Partial<Record<FilterName, string>>;
	/** The field of its records for each of Filters that its list does not know: these act after the comparison. */
	fieldFilters?: Partial<Record<FilterName, string>>;
	/** What a person knows a record by, for the item: a title, and single fields. */
	nameOf(observed: ObservedRecord): Record<string, unknown>;
	/** What "Fetch Test Event" shows if the service has no record: one whose IDs no record has. */
	example: IDataObject;
	/**
	 * The previous status of a record that is seen for the first time in a list with these filters. By default null: it is new,
	 * or unknown.
	 */
	impliedPreviousStatus?(scope: IDataObject): string | null;
	/** The record in a row. By default, the row is the record, with the status of its list or its own. */
	recordIn?(row: unknown, list: List, page: Page): ObservedRecord | undefined;
	/** Finds out the status of one record. By default, the record is read and contains its status. */
	lookUp?(requests: Requests, key: string, scope: IDataObject): Promise<LookupResult>;
	/** How many lists it may have to request for that. */
	lookUpLists?: number;
	/** Why its first page makes it doubtful that a list shows what it has, for n8n's log; undefined if nothing does. */
	doubt?(page: Page): Shown | undefined;
}

/** The requests for records of one source. Both functions throw NodeApiError. */
export interface Requests {
	/** What the event may send in this poll. To be asked before each request. */
	budget: EventBudget;
	/** One page of a list. */
	page: (query: IDataObject, path?: List['path']) => Promise<Page>;
	/** A full record; undefined if there is none with this ID. */
	record: (id: string) => Promise<IDataObject | undefined>;
}

/** Which changes become events. */
export interface Filter {
	/** All if empty. */
	statuses: string[];
	/** Whether new records are included. */
	includeNew: boolean;
	/** What the user filters by that the list does not filter by: fields of the records. */
	fields: IDataObject;
}

/** One source with the user's settings for it. */
export interface Subscription {
	source: StatusSource;
	/** The user's filters, as query parameters of every list. */
	scope: IDataObject;
	filter: Filter;
	/** Whether changed records are fetched in full. */
	details: boolean;
	/** Whether the first poll of the node also emits the records that exist then. */
	fromExisting: boolean;
}

/** Where the records of a source are listed, and how that list is read. */
export function listedAt(list: ListEndpoint): Pick<StatusSource, 'list' | 'pageSize' | 'hasPages'> {
	const { pages, limit = Infinity } = pagingOf(list);
	return { list, pageSize: pages ?? limit, hasPages: pages !== undefined };
}

/** A list for each status, which the service filters by. */
export const listsByStatus = (statuses: readonly string[]): List[] =>
	statuses.map((status) => ({ status, query: { status } }));
