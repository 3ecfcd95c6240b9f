import type { IDataObject } from 'n8n-workflow';
import type { Endpoint } from '../api/endpoint';
import type { Page } from '../api/pages';
import type { Collection } from '../fields/parameters';

/** A record as it was seen in an answer of the service. */
export interface Sighting {
	id: string;
	status: string;
	record: IDataObject;
}

/** What became of a record that was looked up by its ID. */
export type Finding =
	| { is: 'found'; sighting: Sighting; outside?: boolean }
	/** It exists no more. */
	| { is: 'gone' }
	/** It stands where it stood, but is no longer part of what is watched, e.g. assigned to somebody else. */
	| { is: 'outside' }
	/** The service did not tell. */
	| { is: 'untold' };

/** How records of one kind are read. Both throw NodeApiError. */
export interface Reader {
	/**
	 * One page of the list.
	 *
	 * @param query besides what narrows the list
	 * @param narrowed whether only what is watched; true when missing
	 */
	page(query: IDataObject, narrowed?: boolean): Promise<Page>;
	/** A record in full; undefined when there is none with this ID. */
	record(id: string): Promise<IDataObject | undefined>;
}

/** A part of a list that a filter of the service shows. */
export interface Part {
	query: IDataObject;
	/** What its records stand at, where they do not say it themselves. */
	status: string;
}

/** A kind of record whose status is watched: what to read of it, and how to understand that. */
export interface Kind {
	/** The value of its event. */
	event: string;
	/** In words, e.g. "ticket". */
	noun: string;
	/** The parameter that holds the chosen statuses. */
	statusesField: string;
	list: Endpoint;
	detail: Endpoint;
	/** The name that rows probably have inside `data`. */
	rowsName: string;
	/** The list's cap. */
	pageSize: number;
	/**
	 * How the list can be read: page by page, whole or in parts (`pages`); the recent records alone, at once
	 * (`recent`); or only in parts, because a record itself does not tell its status (`parts`).
	 */
	layout: 'pages' | 'recent' | 'parts';
	/** Where records still move: read in full, however long the whole list is. */
	parts: Part[];
	/** Where they rest, if only a filter tells: needed to show one as a test event. */
	restingPart?: Part;
	/** Whether a record of this status usually stays there. */
	hasEnded(status: string): boolean;
	/** One spelling for each status, whatever upper or lower case the service uses. */
	spell(status: string): string;
	/** What a record that was never seen before stood at; null when that says that it is new. */
	strangerWas: string | null;
	/** What the service can narrow the list by. */
	narrow(filters: Collection): IDataObject;
	/** Looks up what became of a record. Without it, the record is read and says its status itself. */
	lookUp?(reader: Reader, id: string, narrowing: IDataObject): Promise<Finding>;
}

/** A kind of record with everything that a person set for it. */
export interface Watched {
	kind: Kind;
	/** Query parameters that narrow the list. */
	narrowing: IDataObject;
	filter: Filter;
	/** Whether changed records are read in full. */
	details: boolean;
}

/** Which changes become events. */
export interface Filter {
	/** In upper case; all when empty. */
	statuses: string[];
	/** Whether records that appeared since the last poll count. */
	appeared: boolean;
}

/** "in progress" is "IN_PROGRESS": the spelling of statuses that the document lists. */
export function upperCase(status: string): string {
	return status.toUpperCase().replace(/[\s-]+/g, '_');
}
