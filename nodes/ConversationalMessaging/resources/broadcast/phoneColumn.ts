/** Recognizes the column with the phone numbers by its name, because the columns are undocumented. */
const PHONE_COLUMN =
	/^(?:to|recipient|number|(?:(?:customer|contact|recipient|whats ?app)[ _-]?)?(?:phone|mobile|msisdn|wa[ _-]?id)(?:[ _-]?(?:number|no|id))?|whats ?app(?:[ _-]?(?:number|id))?)$/i;

/** Whether a column or a field has this kind of name: "phone", "WhatsApp Number", "wa_id". */
export const isPhoneName = (name: string): boolean => PHONE_COLUMN.test(name.trim());

/** Names that other columns often have, too: an order's number, a recipient's name. */
const AMBIGUOUS = /^(?:to|recipient|number)$/i;

/**
 * The column with the phone numbers; undefined if none is recognized. A template variable may have such a name too, so
 * the first match counts, but a clear name comes before one that may mean something else.
 */
export function phoneColumnOf(columns: readonly string[]): string | undefined {
	const named = columns.filter(isPhoneName);
	return named.find((name) => !AMBIGUOUS.test(name.trim())) ?? named[0];
}
