import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { CsvHeader } from '../../../api/files/csv';
import type { Parameters } from '../../../parameters/parameters';
import type { CsvFile } from '../../../runner/itemFile';
import type { OperationContext } from '../../../runner/operationContext';
import type { CsvRow } from '../../shared/csvRows';
import type { Guards } from '../guards';

/**
 * A way to choose who receives a broadcast: a value of the field Audience, and all that depends on it.
 *
 * As methods, so that TypeScript accepts what a user chose of any type where the type does not matter.
 */
export interface AudienceKind<Chosen = unknown> {
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** Whether all input items make one broadcast, to which each of them contributes. */
	isOfAllItems?: boolean;
	/** Whether a CSV contains the values of the template's variables for each recipient. */
	hasCsv?: boolean;
	/** Whether it is sent unchanged, so that no recipient can be left out. */
	isUnchanged?: boolean;
	read(parameters: Parameters): Chosen;
	/**
	 * Finds out who the audience is. One that is known in full ends in `keptRecipients`.
	 *
	 * @param chosen what the user chose: for one item, or for all input items
	 * @throws NodeApiError if something cannot be read
	 * @throws NodeOperationError if it cannot be sent, or a guard stops it
	 */
	find(
		context: OperationContext,
		chosen: [Chosen, ...Chosen[]],
		settings: AudienceSettings,
	): Promise<Audience>;
}

/** What decides on an audience, besides what the user chose for it. */
export interface AudienceSettings {
	template: { name: string; language: string };
	guards: Guards;
	/** Whether to find out the number of recipients. */
	isCounted: boolean;
	/** Whether to find out their addresses, as far as that takes a few requests. */
	isPreview: boolean;
}

/** An audience that is known in full, before anybody is left out. */
export interface Recipients {
	recipients: Recipient[];
	/** The header row, if they are sent as a CSV. */
	csv?: CsvHeader;
	/** How many of the audience are no recipients. */
	leftOut: number;
	/** Who, for the user. */
	notes: string[];
}

export interface Recipient {
	/** A phone number as digits, or a user ID. */
	address: string;
	row?: CsvRow;
}

/** Who receives a broadcast. */
export interface Audience {
	body: { audienceMode: 'csv' | 'list' | 'segment'; recipients?: string[]; segmentId?: string };
	/** Its file, which makes the request a multipart one. */
	file?: CsvFile;
	/** The address of each recipient, '' for one without; undefined if they are unknown. Those of a segment are read for a preview. */
	addresses?: readonly string[];
	/** The number of recipients; undefined if it is unknown, or if nothing needs it. */
	count?: number;
	leftOut: number;
	/** Who they are, and what is unknown, for the user. */
	notes: string[];
	/** The first row of a CSV that is made from items. */
	firstRow?: CsvRow;
}
