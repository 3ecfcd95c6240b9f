/** A field of the node whose value is written to a column: one of the node's own three, or a column by its name. */
export interface ImportField {
	/** Its name on screen. */
	label: string;
	/** The name of its column if there is no template: `name`, `waId`, `igId`, or as the user wrote it. */
	column: string;
	/** Other usual names of the column, ignoring case, spaces and punctuation, the most certain first. */
	synonyms: readonly string[];
}

export const NAME: ImportField = {
	label: 'Name',
	column: 'name',
	synonyms: ['fullname', 'displayname', 'contactname'],
};

export const WA_ID: ImportField = {
	label: 'WhatsApp ID',
	column: 'waId',
	synonyms: [
		'whatsappid',
		'whatsappnumber',
		'whatsapp',
		'phone',
		'phonenumber',
		'mobile',
		'mobilenumber',
		'number',
	],
};

export const IG_ID: ImportField = {
	label: 'Instagram ID',
	column: 'igId',
	synonyms: ['instagramid', 'instagramuserid', 'instagram'],
};

export const OWN_FIELDS: readonly ImportField[] = [NAME, WA_ID, IG_ID];

/** A column that the user named. It may be spelled differently, but has no other names. */
export const namedColumn = (column: string): ImportField => ({
	label: `the column ${column}`,
	column,
	synonyms: [],
});

/** The columns for the values of an import. */
export interface Layout {
	/** The header row, before a field adds a column of its own. */
	columns: string[];
	/** The column of a field; undefined if the template has none. */
	columnOf: (field: ImportField) => string | undefined;
}

/**
 * Finds the column of each field. The names of the columns are undocumented, so the header row of the service's own
 * import template decides (API document, `GET /contacts/import-template`).
 *
 * @param template its columns, in their order; undefined if it could not be read: every field then has the column
 *   that it names
 */
export function layoutOf(template: string[] | undefined): Layout {
	if (!template) {
		const columns = OWN_FIELDS.map(({ column }) => column);
		return { columns, columnOf: ({ column }) => column };
	}
	const spelled = new Map<string, string>();
	for (const column of template) {
		const key = simplified(column);
		if (key !== '' && !spelled.has(key)) spelled.set(key, column);
	}
	const exact = new Set(template);
	const columnOf = ({ column, synonyms }: ImportField): string | undefined => {
		if (exact.has(column)) return column;
		const found = [simplified(column), ...synonyms].map((name) => spelled.get(name));
		return found.find((name) => name !== undefined);
	};
	return { columns: template, columnOf };
}

/** "WhatsApp ID *" and "Phone (with country code)" as "whatsappid" and "phone". */
function simplified(column: string): string {
	const letters = (text: string): string =>
		text
			.normalize('NFKC')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}]/gu, '');
	return letters(column.replace(/\([^()]*\)|\[[^[\]]*\]/g, '')) || letters(column);
}
