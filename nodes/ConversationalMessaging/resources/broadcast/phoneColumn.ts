import { columnOf, plainName } from './csvColumns';

/** Recognizes a column with phone numbers by its name, because the columns are undocumented. */
const PHONE_COLUMN =
	/^(?:to|recipient|number|(?:(?:customer|contact|recipient|whats ?app)[ _-]?)?(?:phone|mobile|msisdn|wa[ _-]?id)(?:[ _-]?(?:number|no|id))?|whats ?app(?:[ _-]?(?:number|id))?)$/i;

/** Whether a column or a field has this kind of name: "phone", "WhatsApp Number", "wa_id". */
export const isPhoneName = (name: string): boolean => PHONE_COLUMN.test(name.trim());

/** The column with the phone numbers of the recipients. */
export interface PhoneColumn {
	/** Undefined if it is not recognized. */
	name?: string;
	/** The columns that may be it, if there are several. */
	candidates: string[];
}

/**
 * The column with the phone numbers of the recipients, by its name. A variable of the template may have such a name,
 * too ("Call {{phone}}"), and a file may have columns that the template does not use. In doubt, none is chosen: with
 * the wrong one, the wrong rows would be left out.
 *
 * @param variables the ids of the template's variables, from `variablesOf`
 * @param own the columns of the template's own CSV
 */
export function phoneColumnOf(
	columns: readonly string[],
	variables: readonly string[] = [],
	own: readonly string[] = columns,
): PhoneColumn {
	const named = columns.filter(isPhoneName);
	if (named.length < 2) return { name: named[0], candidates: [] };
	const ownNames = new Set(own.map(plainName));
	const used = named.filter((name) => ownNames.has(plainName(name)));
	const candidates = used.length > 0 ? used : named;
	const values = new Set(variables.map((id) => plainName(columnOf(id, own) ?? '')));
	const others = candidates.filter((name) => !values.has(plainName(name)));
	return others.length === 1
		? { name: others[0], candidates: [] }
		: { candidates: others.length > 0 ? others : candidates };
}

/** What distinguishes the column with the phone numbers from others with such a name. */
export interface TemplateCsv {
	/** The columns of the template's own CSV. */
	columns: () => Promise<string[]>;
	/** The ids of the template's variables, from `variablesOf`; [] if they are unknown. */
	variables: () => Promise<string[]>;
}

/** `phoneColumnOf`; the service is asked about the template only if several columns have such a name. */
export async function findPhoneColumn(
	columns: readonly string[],
	template: TemplateCsv,
): Promise<PhoneColumn> {
	const byName = phoneColumnOf(columns);
	if (byName.candidates.length === 0) return byName;
	return phoneColumnOf(columns, await template.variables(), await template.columns());
}
