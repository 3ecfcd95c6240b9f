import { isRecord } from '../api/response';

/** `limit` of GET /templates is approximate, and there are no pages: ask for more than anybody has. */
export const MAX_TEMPLATES = 1000;

/** What the service may ask for when it is to find a template. */
export interface TemplateRef {
	/** hsm_id */
	id: string;
	name: string;
	language: string;
	category?: string;
}

/** A row of GET /templates; undefined when it says too little. */
export function templateOf(row: unknown): TemplateRef | undefined {
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

/** A template as the value of a list entry. Neither names nor languages have spaces (API document, `POST /templates`). */
export const templateKey = ({ id, name, language }: TemplateRef): string =>
	`${id} ${name} ${language}`;

/** The list of templates, for those who look one up. */
export const TEMPLATE_LIST = {
	action: 'List templates',
	endpoint: 'GET /templates',
	rowsName: 'templates',
} as const;

/** The template of a list entry's value; undefined when it is an ID alone. */
export function templateIn(value: string): TemplateRef | undefined {
	const [id, name, language] = value.split(' ');
	return id && name && language ? { id, name, language } : undefined;
}

/** The template of a picker's value: fully, or by its ID alone. */
export const pickedTemplate = (value: string): TemplateRef | { id: string } =>
	templateIn(value) ?? { id: value };
