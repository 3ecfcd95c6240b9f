import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { redact } from '../api/access/shown';
import { createEditorClient } from '../api/client';
import { invalid } from '../api/errors';
import { send } from '../api/send';
import { chosenChannel, chosenInEditor } from '../parameters/editor';
import {
	findTemplate,
	MAX_TEMPLATES,
	NAME_TEMPLATE,
	parseTemplate,
	TEMPLATE_LIST,
	templateFromRow,
} from '../parameters/template';
import { textWithBlanks } from '../parameters/templateText';
import {
	fieldLabel,
	MAX_VARIABLES,
	partNames,
	partsWithoutField,
	shownBlank,
	TOO_MANY_VARIABLES,
	variablesOf,
} from '../parameters/templateVariables';
import { ADD_COMPONENTS } from '../parameters/variableValues';

/** A variable as a field. n8n saves all of it with the values, so a run knows which template they were entered for. */
interface VariableField extends ResourceMapperField {
	templateName: string | undefined;
	/** The template's parts without a field; undefined if there are none. */
	partsWithoutField: string | undefined;
}

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const template = await chosenTemplate(this, 'templateId');
	const parts = partNames(partsWithoutField(template?.components)) || undefined;
	const fields = shownVariables(this, template).map(
		(variable): VariableField => ({
			id: variable.id,
			displayName: fieldLabel(variable),
			required: variable.required,
			defaultMatch: false,
			display: true,
			type: 'string',
			templateName: templateFromRow(template)?.name,
			partsWithoutField: parts,
		}),
	);
	return parts === undefined ? { fields } : { fields, emptyFieldsNotice: escaped(noField(parts)) };
}

const noField = (parts: string): string => `Parts without a field: ${parts}. ${ADD_COMPONENTS}`;

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
	const variables = shownVariables(this, template);
	const text = textWithBlanks(template?.components);
	const parts = partNames(partsWithoutField(template?.components));
	const examples = variables.flatMap(({ blank, example }) =>
		example === undefined ? [] : [`${shownBlank(blank)} ${example}`],
	);
	const lines = [
		text || (template ? NO_TEXT : NONE_PICKED),
		...(examples.length > 0 ? [`Examples: ${examples.join(', ')}`] : []),
		...(parts === '' ? [] : [noField(parts)]),
	];
	return { fields: [], emptyFieldsNotice: escaped(breakable(lines.join('\n\n'))) };
}

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

/** The variables of the chosen fallback template as a list, for the editor. */
export async function getFallbackVariables(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const template = await chosenTemplate(this, 'options.templateId');
	return shownVariables(this, template).map((variable) => ({
		name: fieldLabel(variable),
		value: variable.id,
	}));
}

function shownVariables(n8n: ILoadOptionsFunctions, template: IDataObject | undefined) {
	const variables = variablesOf(template?.components);
	if (variables.length > MAX_VARIABLES) throw invalid(n8n.getNode(), TOO_MANY_VARIABLES);
	return variables;
}

/** The template in a field, as the service lists it; undefined if none is chosen, or if it does not exist. */
async function chosenTemplate(
	n8n: ILoadOptionsFunctions,
	field: string,
): Promise<IDataObject | undefined> {
	const value = chosenInEditor(n8n.getCurrentNodeParameter(field));
	if (value === undefined) return undefined;
	const chosen = parseTemplate(value);
	const client = await createEditorClient(n8n);
	const channelId = chosenChannel(n8n);
	const query = { limit: MAX_TEMPLATES, channelId };
	const response = await send(client, { ...TEMPLATE_LIST, query });
	const { row, notListed } = findTemplate(response.json, chosen, channelId);
	if (notListed) throw invalid(n8n.getNode(), notListed, NAME_TEMPLATE);
	return row;
}
