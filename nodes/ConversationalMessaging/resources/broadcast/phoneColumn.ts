/**
 * Recognizes the column with the phone numbers by its name, because the columns are undocumented. A template variable
 * may have such a name too, so the first match counts.
 */
const PHONE_COLUMN =
	/^(?:to|recipient|number|(?:(?:customer|contact|recipient|whats ?app)[ _-]?)?(?:phone|mobile|msisdn|wa[ _-]?id)(?:[ _-]?(?:number|no|id))?|whats ?app(?:[ _-]?(?:number|id))?)$/i;

/** Whether a column or a field has this kind of name: "phone", "WhatsApp Number", "wa_id". */
export const isPhoneName = (name: string): boolean => PHONE_COLUMN.test(name.trim());
