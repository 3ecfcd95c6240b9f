import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../../../api/endpoint';
import type { Page } from '../../../api/reads/pages';

/** A record in one response of the service. */
export interface ObservedRecord {
	id: string;
	/** In the source's spelling. */
	status: string;
	record: IDataObject;
}

/** The part of a list that a filter of the service returns. */
export interface Partition {
	query: IDataObject;
	/** The status of its records, if they do not contain one themselves. */
	status: string;
}

/** One page of a list, as read. */
export interface ListedPage {
	/** The status that the list was filtered by; undefined for the whole list. */
	status?: string;
	/** From 1. */
	number: number;
	/** The number of rows per page of this list. */
	size: number;
	/** The total number of records of this list; undefined if the service does not return it. */
	total?: number;
	/** The number of returned rows, including those that are not records. */
	length: number;
	records: ObservedRecord[];
}

/** The names of the fields under Filters. */
type FilterName = 'agentId' | 'channelId' | 'contactId';

/** The result of looking up a record by its ID. */
export type LookupResult =
	| { is: 'found'; observed: ObservedRecord }
	| { is: 'deleted' }
	/** It exists, but no longer belongs to the subscription, e.g. it is assigned to another agent. */
	| { is: 'outOfScope' }
	/** It exists, but the service did not show its status. */
	| { is: 'unknown' };

/** A kind of record whose status can be tracked: how to read it, and how to interpret it. */
export interface StatusSource {
	/** The value of its event. */
	event: string;
	/** As shown, e.g. "ticket". */
	noun: string;
	/** The parameter with the chosen statuses. */
	statusesField: string;
	list: Endpoint;
	detail: Endpoint;
	/** The likely name of the rows inside `data`. */
	rowsName: string;
	/** The largest page that the list returns. */
	pageSize: number;
	/**
	 * How the list can be read: page by page, as a whole or by status (`pages`); only the recent records, in one
	 * request (`recent`); or only by a filter, because a record itself does not contain its status (`filtered`).
	 */
	layout: 'pages' | 'recent' | 'filtered';
	/** The lists by status. For `filtered`, only those to read in every poll. */
	partitions: Partition[];
	/** The list of the records that a `filtered` source does not read in a poll; for the test event. */
	endedPartition?: Partition;
	/**
	 * Whether records of this status are not looked up any more, although no list shows them: import jobs that have ended,
	 * chats that are not escalated. By default, they are.
	 */
	isEnded?(status: string): boolean;
	/** One spelling for each status, whatever case the service uses. */
	normalizeStatus: (status: string) => string;
	/**
	 * Whether a record that is seen for the first time was created. Otherwise it existed before: a chat that is escalated
	 * is not a new one.
	 */
	showsNewRecords: boolean;
	/** The statuses in which records usually begin, in upper case; undocumented. */
	firstStatuses: string[];
	/** The query parameter for each of Filters that its list knows. */
	filters: Partial<Record<FilterName, string>>;
	/**
	 * The previous status of a record that is seen for the first time in a list with this filter; null if it is new, or
	 * unknown. By default: null.
	 */
	impliedPreviousStatus?(scope: IDataObject): string | null;
	/** Determines the status of one record. By default, the record is read and contains its status. */
	lookUp?(requests: Requests, id: string, scope: IDataObject): Promise<LookupResult>;
}

/** The requests for records of one source. Both functions throw NodeApiError. */
export interface Requests {
	/** One page of a list; `isBackground`: after everything else that uses the token. */
	page(query: IDataObject, isBackground?: boolean): Promise<Page>;
	/** A full record; undefined if there is none with this ID. */
	record(id: string): Promise<IDataObject | undefined>;
}

/** Which changes become events. */
export interface Filter {
	/** In upper case; all if empty. */
	statuses: string[];
	/** Whether new records are included. */
	includeNew: boolean;
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

/** The number of pages of a page's list; undefined if the service does not return its total. */
export function pageCount({ number, length, size, total }: ListedPage): number | undefined {
	if (total !== undefined) return Math.max(1, Math.ceil(total / size));
	return length < size ? number : undefined;
}

/** Whether one of the source's lists shows the records of this status. */
export const isListed = ({ partitions }: StatusSource, status: string): boolean =>
	partitions.some((partition) => partition.status === status);

/** "in progress" becomes "IN_PROGRESS": the spelling of the statuses that the document lists. */
export function upperCase(status: string): string {
	return status.toUpperCase().replace(/[\s-]+/g, '_');
}
