import type { IDataObject } from 'n8n-workflow';
import type { Shown } from '../api/access/shown';
import { shown } from '../api/access/shown';
import { parseJson } from '../api/base/text';
import { findRows, isRecord, metaOf } from '../api/response/response';
import { valueOf } from '../api/response/names';
import type { FieldReader } from './fieldReader';

/** `limit` of GET /templates is approximate, and there are no pages: request more than anybody has. */
export const MAX_TEMPLATES = 1000;

/** What the service may need to find a template. */
interface TemplateRef {
	/** hsm_id */
	id: string;
	name: string;
	language: string;
	category?: string;
}

/** A template that can be sent. */
export type NamedTemplate = Partial<TemplateRef> & Pick<TemplateRef, 'name' | 'language'>;

/** A template as it was chosen: complete, only its ID, or only name and language. */
export type ChosenTemplate = NamedTemplate | { id: string; name?: undefined; language?: undefined };

/** A row of GET /templates; undefined if its ID, name or language is missing. */
export function templateFromRow(row: unknown): TemplateRef | undefined {
	if (!isRecord(row)) return undefined;
	const id = valueOf(row, 'hsmId') ?? row.id;
	const { name, language, category } = row;
	if (typeof id !== 'string' && typeof id !== 'number') return undefined;
	if (typeof name !== 'string' || typeof language !== 'string') return undefined;
	return {
		id: String(id),
		name,
		language,
		category: typeof category === 'string' ? category : undefined,
	};
}

/** A template as the value of a picker. Names and languages have no spaces (API document, `POST /templates`). */
export const formatTemplate = ({ id, name, language }: TemplateRef): string =>
	`${id} ${name} ${language}`;

/** The template of a picker's value: complete from the list, otherwise its ID, or its name and language. */
export function parseTemplate(value: string): ChosenTemplate {
	const [first = '', second, third, ...rest] = value.trim().split(/\s+/);
	if (second === undefined || rest.length > 0) return { id: value };
	if (third === undefined) return { name: first, language: second };
	return { id: first, name: second, language: third };
}

/**
 * The template of a picker; undefined if it was left empty.
 *
 * @throws NodeOperationError for a name without a language
 */
export function readTemplate(fields: FieldReader): ChosenTemplate | undefined {
	const choice = fields.choice('templateId');
	if (!choice) return undefined;
	const template = parseTemplate(choice.value);
	// n8n keeps the value of the list when the mode changes. Other three words are a name with a space: the second and third
	// would be another template. IDs have digits.
	const isPicked = template.id === undefined || /\d/.test(template.id);
	if (choice.mode === 'name' && (template.name === undefined || !isPicked)) {
		const expected = 'a name and a language code, such as ticket_update en_US';
		throw fields.invalidValue('templateId', expected, choice.value);
	}
	return template;
}

/** @throws NodeOperationError if there is none */
export function requiredTemplate(fields: FieldReader): ChosenTemplate {
	fields.requiredId('templateId');
	return readTemplate(fields) as ChosenTemplate;
}

/** The list of templates, for looking one up. */
export const TEMPLATE_LIST = {
	action: 'List templates',
	endpoint: 'GET /templates',
	rowsName: 'templates',
} as const;

/** What the service's list says about a template. */
interface FoundTemplate {
	/** Its row; undefined if there is none. */
	row?: IDataObject;
	/** Why the list may have left it out although it exists; undefined if there is no such sign. */
	notListed?: Shown;
}

/**
 * Looks a template up in the service's list: by its ID, if that is known. Several channels may have templates of the same
 * name and language: then that of the chosen channel counts, or that of no channel.
 */
export function findTemplate(
	list: unknown,
	template: ChosenTemplate,
	channelId: string | undefined,
): FoundTemplate {
	const listed = findRows(list, [TEMPLATE_LIST.rowsName]);
	const found = (listed?.rows ?? [])
		.filter(isRecord)
		.filter((row) =>
			template.id !== undefined
				? templateFromRow(row)?.id === template.id
				: row.name === template.name && row.language === template.language,
		);
	const row =
		found.find((each) => channelId !== undefined && each.channelId === channelId) ??
		found.find((each) => each.channelId === undefined || each.channelId === null) ??
		found[0];
	// Stored as text in a database, and returned so.
	if (row && typeof row.components === 'string')
		return { row: { ...row, components: parseJson(row.components) as IDataObject } };
	if (row) return { row };
	const count = listed?.rows.length ?? 0;
	const { total, totalPages = 1 } = listed ? metaOf(list, listed.path) : {};
	const isWhole = total === undefined ? totalPages <= 1 : count >= total;
	if (isWhole) return {};
	const part = total === undefined ? `${count} templates` : `${count} of ${total} templates`;
	return {
		notListed: shown`The service lists only ${part}, and the template ${nameOf(template)} is not among them`,
	};
}

/** A chosen template for messages: its name, or its ID if only that is known. */
const nameOf = (template: ChosenTemplate): string => template.name ?? template.id;

/** The next step if a template is not listed. */
export const NAME_TEMPLATE =
	'Under By Name, enter the name and the language code of the template, separated by a space, e.g. ticket_update en_US.';
