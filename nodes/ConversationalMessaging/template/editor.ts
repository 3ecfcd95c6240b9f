import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { redact } from '../api/access/shown';
import { capitalized } from '../api/base/text';
import { createEditorClient } from '../api/client';
import { readList } from '../api/reads/rows';
import { statusOf } from '../api/response/response';
import { matching, searchMethod } from '../listSearch/search';
import { chosenChannel, chosenInEditor } from '../parameters/editor';
import { formatTemplate, parseTemplate } from './chosen';
import { findTemplate, TEMPLATE_LIST, templateFromRow } from './list';
import { textWithBlanks } from './text';
import { ADD_COMPONENTS, kindOf, partsWithoutField, variablesOf } from './variables';

/**
 * Templates of the chosen channel, for the picker. The entry's value contains all that the service may ask for: ID, name and
 * language.
 */
export const searchTemplates = searchMethod({
	...TEMPLATE_LIST,
	query: (n8n) => ({ channelId: chosenChannel(n8n) }),
	toEntry: (row) => {
		const template = templateFromRow(row);
		if (!template) return undefined;
		const { name, language, category = '' } = template;
		const status = statusOf(row);
		const isApproved = status === undefined || /^approved$/i.test(status);
		const details = [language, inWords(category), isApproved ? '' : inWords(status)];
		return {
			name: [name, ...details.filter((detail) => detail !== '')].join(' · '),
			value: formatTemplate(template),
		};
	},
});

/** "UTILITY" as "Utility", "IN_REVIEW" as "In review". */
const inWords = (constant: string): string => capitalized(kindOf(constant).replace(/_/g, ' '));

/** While an expression of the node has no data yet, n8n does not notice another template until the node is opened again. */
const NONE_PICKED =
	'Pick a template to see its text. If one is picked, close the node and open it again.';

const NO_TEXT = 'The service returns no text for this template.';

/**
 * The text of the chosen template, with its variables as "[2]", for the editor: n8n shows the notice of a mapper without
 * fields.
 */
export async function getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const template = await chosenTemplate(this, 'templateId');
	const variables = variablesOf(template?.components);
	const examples = variables.flatMap(({ blank, example }) =>
		example === undefined ? [] : `[${blank}] ${example}`,
	);
	const parts = partsWithoutField(variables);
	const paragraphs = [
		textWithBlanks(template?.components) || (template ? NO_TEXT : NONE_PICKED),
		...(examples.length > 0 ? [`Examples: ${examples.join(', ')}`] : []),
		...(parts === '' ? [] : [noField(parts)]),
	];
	return { fields: [], emptyFieldsNotice: escaped(breakable(paragraphs.join('\n\n'))) };
}

/** A variable as a field. n8n saves all of it with the values, so a run knows which template they were entered for. */
interface VariableField extends ResourceMapperField {
	/** Its name in messages. */
	label: string;
	templateName: string | undefined;
	/** The template's parts without a field; empty if there are none. */
	partsWithoutField: string;
}

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const template = await chosenTemplate(this, 'templateId');
	const variables = variablesOf(template?.components);
	const parts = partsWithoutField(variables);
	const fields = variables
		.filter(({ hasField }) => hasField)
		.map(
			({ id, label, title, required }): VariableField => ({
				id,
				displayName: title,
				label,
				required,
				defaultMatch: false,
				display: true,
				type: 'string',
				templateName: templateFromRow(template)?.name,
				partsWithoutField: parts,
			}),
		);
	return parts === '' ? { fields } : { fields, emptyFieldsNotice: escaped(noField(parts)) };
}

export async function searchFallbackVariables(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const template = await chosenTemplate(this, 'options.templateId');
	const entries = variablesOf(template?.components)
		.filter(({ hasField }) => hasField)
		.map(({ id, title }) => ({ name: title, value: id }));
	return { results: matching(entries, filter) };
}

/** The template in a field, as the service lists it: {} if it does not; undefined if none is chosen. */
async function chosenTemplate(
	n8n: ILoadOptionsFunctions,
	field: string,
): Promise<IDataObject | undefined> {
	const value = chosenInEditor(n8n.getCurrentNodeParameter(field));
	if (value === undefined) return undefined;
	const client = await createEditorClient(n8n);
	const channelId = chosenChannel(n8n);
	const list = await readList(client, { ...TEMPLATE_LIST, query: { channelId } }, Infinity);
	return findTemplate(list.rows, parseTemplate(value), channelId) ?? {};
}

const noField = (parts: string): string => `Parts without a field: ${parts}. ${ADD_COMPONENTS}`;

/** Text that may break in a long word, such as a URL: n8n does not wrap it, and shows nothing that is beyond the panel. */
const breakable = (text: string): string => text.replace(/\S{40}(?=\S)/gu, '$&\u200b');

/** Text as HTML, because n8n shows a notice as such. */
const escaped = (text: string): string =>
	redact(text)
		.replace(/&/g, '&amp;')
		.replace(/</g, '&lt;')
		.replace(/>/g, '&gt;')
		.replace(/"/g, '&quot;')
		.replace(/\r?\n/g, '<br>');
