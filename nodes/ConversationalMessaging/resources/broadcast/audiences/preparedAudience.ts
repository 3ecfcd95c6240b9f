import type { Reject } from '../../../parameters/chosenTemplate';
import { formatValue } from '../../../parameters/values';
import type { CsvFile } from '../../../runner/csvUpload';

/** What the service is sent as the audience. */
export type AudienceContent =
	| { mode: 'segment'; segmentId: string }
	| { mode: 'list'; recipients: string[] }
	| { mode: 'csv'; file: CsvFile };

/** Who receives a broadcast, as it is sent. */
export interface PreparedAudience {
	content: AudienceContent;
	counts: RecipientCounts;
	/** The first few recipients. */
	first: { to?: string; row?: Record<string, string> }[];
	/** The columns of a CSV, and those that the template's own CSV has, if they were read. */
	columns?: { given: string[]; template?: string[] };
	/** What to check before sending. Create sends nevertheless. */
	warnings: string[];
}

export interface RecipientCounts {
	/**
	 * How many recipients the service is sent; for a segment, its members. Undefined if unknown: the service does not
	 * show it, the file cannot be read, or it is not needed.
	 */
	sent?: number;
	/** Max Recipients, if the members of a segment were counted only until there were more; `sent` is undefined then. */
	moreThan?: number;
	/** Recipients whose number an earlier one has. */
	repeated: number;
	/** Whether they are left out. */
	skipsRepeated: boolean;
	/** Rows of input items that equal an earlier one in every column. They are always left out. */
	equalRows: number;
	/** Members of the excluded segment among the recipients, who are left out. */
	excluded: number;
	/** Members of a segment without a WhatsApp ID, who are left out. */
	withoutNumber: number;
	/** Recipients whose value is not a phone number with country code. */
	invalid: number;
	/** The first few of these values. */
	invalidValues: unknown[];
}

/** How an audience is prepared. */
export interface Preparation {
	/** Called for what keeps the broadcast from being sent. */
	reject: Reject;
	/** Whether to find out everything for a preview, or only what is needed to send the broadcast. */
	forPreview: boolean;
}

/** How many of the values that are not phone numbers are shown. */
export const MAX_INVALID = 10;

/** "Rows without a number: 12. The first: "a", "b"."; [] if there are none. */
export function invalidNumbersWarning(whose: string, values: string[]): string[] {
	if (values.length === 0) return [];
	const first = values.slice(0, MAX_INVALID).map(formatValue).join(', ');
	return [`${whose}: ${values.length}. The first: ${first}.`];
}

/** How many of the first recipients are shown. */
export const FIRST_RECIPIENTS = 3;

/** The phone number in a row of a CSV; undefined if its column is unknown. */
export const toOf = (
	row: Record<string, string>,
	phoneColumn: string | undefined,
): string | undefined => (phoneColumn === undefined ? undefined : row[phoneColumn]);

export const NO_COUNTS: RecipientCounts = {
	repeated: 0,
	skipsRepeated: true,
	equalRows: 0,
	excluded: 0,
	withoutNumber: 0,
	invalid: 0,
	invalidValues: [],
};
