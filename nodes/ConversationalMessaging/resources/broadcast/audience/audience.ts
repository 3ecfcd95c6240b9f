import type { IDataObject } from 'n8n-workflow';
import type { CsvFile } from '../../../runner/csvUpload';
import type { OperationContext } from '../../../runner/operationContext';
import type { Guards } from '../guards';
import type { Exclusion } from './exclusion';

/** Who receives a broadcast. */
export interface Audience {
	/** As the service is sent it. */
	content: AudienceContent;
	/** All addresses of the recipients, if somebody is excluded from a list of them. */
	addresses?: string[];
	/** The number of recipients; undefined if it is unknown, or if nothing needs it. */
	recipients?: number;
	/** Whether there are more: the members of a segment are counted only until there are too many. */
	isMinimum?: boolean;
	/** How many were left out. */
	leftOut: number;
	/** What the user should know. */
	notes: string[];
	/** The first row of a CSV that is made from items. */
	firstRow?: Record<string, string>;
}

export type AudienceContent =
	| { mode: 'segment'; segmentId: string }
	| { mode: 'list'; recipients: string[] }
	| { mode: 'csv'; file: CsvFile };

/** What an input item contributes if all items make one broadcast. */
export interface AudienceInput {
	/** The item's index in the input, from 0. */
	itemIndex: number;
	recipients: string[];
	/** The item's fields, for the columns of a CSV. */
	row?: IDataObject;
}

/** What decides on an audience, besides where it comes from. */
export interface AudienceSettings {
	template: { name: string; language: string };
	guards: Guards;
	exclusion: Exclusion;
	/** Whether to find out the number of recipients. */
	isCounted: boolean;
}

/**
 * Finds out who receives a broadcast.
 *
 * @param inputs what the items contribute, or []
 * @throws NodeApiError if something cannot be read
 * @throws NodeOperationError if it cannot be sent
 */
export type FindAudience = (
	context: OperationContext,
	settings: AudienceSettings,
	inputs: AudienceInput[],
) => Promise<Audience>;
