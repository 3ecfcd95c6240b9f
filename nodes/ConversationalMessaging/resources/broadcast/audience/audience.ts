import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Parameters } from '../../../parameters/parameters';
import type { CsvFile } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { Guards } from '../guards';
import type { ExcludedSegment } from './exclusion';

/** A way to choose who receives a broadcast: a value of the field Audience, and all that depends on it. */
export interface AudienceKind {
	/** In the list of the field Audience. */
	option: INodePropertyOptions;
	/** What the user fills in for it. */
	fields: INodeProperties[];
	/** Whether all input items make one broadcast, to which each of them contributes. */
	isOfAllItems?: boolean;
	/** Whether a CSV contains the values of the template's variables for each recipient. */
	hasCsv?: boolean;
	/** Whether it is sent unchanged, so that no recipient can be left out. */
	isUnchanged?: boolean;
	/** @throws NodeOperationError for a parameter */
	read: (parameters: Parameters) => ChosenAudience;
}

/** The audience that the user chose. */
export interface ChosenAudience {
	/** What this item contributes, if all items make one broadcast. */
	input?: AudienceInput;
	/**
	 * Finds out who receives the broadcast.
	 *
	 * @param inputs what the items contribute, or []
	 * @throws NodeApiError if something cannot be read
	 * @throws NodeOperationError if it cannot be sent
	 */
	find: (
		context: OperationContext,
		settings: AudienceSettings,
		inputs: AudienceInput[],
	) => Audience | Promise<Audience>;
}

/** What an input item contributes if all items make one broadcast. */
export interface AudienceInput {
	/** The item's index in the input, from 0. */
	itemIndex: number;
	recipients: string[];
	/** The item's fields, for the columns of a CSV. */
	row?: IDataObject;
	/** What is mapped to such columns, by the names that the user entered. */
	mapped?: IDataObject;
}

/** What decides on an audience, besides where it comes from. */
export interface AudienceSettings {
	template: { name: string; language: string };
	guards: Guards;
	exclusion: readonly ExcludedSegment[];
	/** Whether to find out the number of recipients. */
	isCounted: boolean;
	/** Whether to find out their addresses, as far as that takes a few requests. */
	isPreview: boolean;
}

/** Who receives a broadcast. */
export interface Audience {
	/** Its part of the request's body. */
	body: { audienceMode: 'csv' | 'list' | 'segment'; recipients?: string[]; segmentId?: string };
	/** Its file, which makes the request a multipart one. */
	file?: CsvFile;
	/** The address of each recipient, '' for one without; undefined if they are unknown. Those of a segment are read for a preview. */
	addresses?: readonly string[];
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
