import type { FieldReader } from '../parameters/fieldReader';

/** What the service may need to find a template. */
export interface TemplateRef {
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

/** The template of a picker; undefined if it was left empty. @throws NodeOperationError for a name without a language */
export function readTemplate(fields: FieldReader): ChosenTemplate | undefined {
	const choice = fields.choice('templateId');
	if (!choice) return undefined;
	const template = parseTemplate(choice.value);
	// n8n keeps the value of the list when the mode changes. Other three words are a name with a space: the second and third
	// would be another template. IDs have digits.
	const isPicked = template.id === undefined || /\d/.test(template.id);
	const hasCode = /^[\w-]+$/.test(template.language ?? '');
	if (choice.mode === 'name' && (!hasCode || !isPicked)) {
		const expected = 'a name and a language code, such as ticket_update en_US';
		throw fields.invalidValue('templateId', expected, choice.value);
	}
	return template;
}

/** @throws NodeOperationError if there is none */
export function requiredTemplate(fields: FieldReader): ChosenTemplate {
	fields.id('templateId', 'required');
	return readTemplate(fields) as ChosenTemplate;
}
