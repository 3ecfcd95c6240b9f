import type { IDataObject } from 'n8n-workflow';
import { findRows, isRecord, metaOf, rowsOf } from '../api/response';

/** `limit` of GET /templates is approximate, and there are no pages: request more than anybody has. */
export const MAX_TEMPLATES = 1000;

/** What the service may need to find a template. */
export interface TemplateRef {
	/** hsm_id */
	id: string;
	name: string;
	language: string;
	category?: string;
}

/** A row of GET /templates; undefined if its ID, name or language is missing. */
export function templateFromRow(row: unknown): TemplateRef | undefined {
	if (!isRecord(row)) return undefined;
	const id = row.hsm_id ?? row.id;
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

/** A template as the value of a list entry. Names and languages have no spaces (API document, `POST /templates`). */
export const formatTemplateKey = ({ id, name, language }: TemplateRef): string =>
	`${id} ${name} ${language}`;

/** The list of templates, for looking one up. */
export const TEMPLATE_LIST = {
	action: 'List templates',
	endpoint: 'GET /templates',
	rowsName: 'templates',
} as const;

/** The template of a list entry's value; undefined if it is only an ID. */
export function parseTemplateKey(value: string): TemplateRef | undefined {
	const [id, name, language] = value.split(' ');
	return id && name && language ? { id, name, language } : undefined;
}

/** The template of a picker's value: complete, or only its ID. */
export const parseTemplateValue = (value: string): TemplateRef | { id: string } =>
	parseTemplateKey(value) ?? { id: value };

/** The template with an ID, from a list of templates. */
export function findTemplate(json: unknown, id: string): IDataObject | undefined {
	const rows = rowsOf(json, TEMPLATE_LIST.rowsName);
	return rows?.find((row) => templateFromRow(row)?.id === id) as IDataObject | undefined;
}

/**
 * Why a list may have left out a template that exists; undefined if it shows all templates, or does not say how many
 * there are.
 */
export function whyNotListed(json: unknown, id: string): string | undefined {
	const found = findRows(json, [TEMPLATE_LIST.rowsName]);
	const listed = found?.rows.length ?? 0;
	const { total, totalPages = 1 } = found ? metaOf(json, found.path) : {};
	if (total === undefined ? totalPages <= 1 : listed >= total) return undefined;
	const part = total === undefined ? `${listed} templates` : `${listed} of ${total} templates`;
	return `The service lists only ${part}, and the template ${id} is not among them`;
}

/** The next step then. */
export const NAME_TEMPLATE =
	'Under By ID, enter the ID, the name and the language of the template, separated by spaces, e.g. 1234567890123456 ticket_update en_US.';
