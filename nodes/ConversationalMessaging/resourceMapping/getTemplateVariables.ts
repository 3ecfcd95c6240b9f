import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createEditorClient } from '../api/client';
import { send } from '../api/send';
import { chosenChannel, chosenInEditor } from '../parameters/editor';
import {
	findTemplate,
	MAX_TEMPLATES,
	NAME_TEMPLATE,
	parseTemplate,
	TEMPLATE_LIST,
} from '../parameters/template';
import { joinTexts, templateText } from '../parameters/templateText';
import { fieldLabel, shownBlank, variablesOf } from '../parameters/templateVariables';

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const variables = variablesOf(await chosenComponents(this, 'templateId'));
	return {
		fields: variables.map((variable) => ({
			id: variable.id,
			displayName: fieldLabel(variable),
			required: variable.required,
			defaultMatch: false,
			display: true,
			type: 'string',
		})),
	};
}

/** While an expression of the node has no data yet, n8n does not notice another template until the node is opened again. */
const NO_TEXT =
	'The text of the picked template appears here, if the service returns it. If you picked one and its variables are missing, close the node and open it again.';

/**
 * The text of the chosen template, with its variables as "[2]", for the editor: n8n shows the notice of a mapper without
 * fields.
 */
export async function getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const components = await chosenComponents(this, 'templateId');
	const variables = variablesOf(components);
	const inText = variables.filter(({ id }) => !/^header:(?!text:)/.test(id));
	const blanks = new Map(inText.map(({ id, blank }) => [id, shownBlank(blank)]));
	const text = joinTexts(templateText(components, (id) => blanks.get(id)));
	const examples = variables.flatMap(({ blank, example }) =>
		example === undefined ? [] : [`${shownBlank(blank)} ${example}`],
	);
	const lines = [
		...(text === '' ? [NO_TEXT] : [text]),
		...(examples.length > 0 ? [`Examples: ${examples.join(', ')}`] : []),
	];
	return { fields: [], emptyFieldsNotice: escaped(lines.join('\n\n')) };
}

/** Text as HTML, because n8n shows a notice as such. */
const escaped = (text: string): string =>
	text
		.replace(/&/g, '&amp;')
		.replace(/</g, '&lt;')
		.replace(/>/g, '&gt;')
		.replace(/"/g, '&quot;')
		.replace(/\r?\n/g, '<br>');

/** The variables of the chosen fallback template as a list, for the editor. */
export async function getFallbackVariables(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const variables = variablesOf(await chosenComponents(this, 'options.templateId'));
	return variables.map((variable) => ({ name: fieldLabel(variable), value: variable.id }));
}

/** The components of the template in a field; undefined if none is chosen, or if it does not exist. */
async function chosenComponents(n8n: ILoadOptionsFunctions, field: string): Promise<unknown> {
	const value = chosenInEditor(n8n.getCurrentNodeParameter(field));
	if (value === undefined) return undefined;
	const chosen = parseTemplate(value);
	const client = await createEditorClient(n8n);
	const channelId = chosenChannel(n8n);
	const query = { limit: MAX_TEMPLATES, channelId };
	const response = await send(client, { ...TEMPLATE_LIST, query });
	const { row, notListed } = findTemplate(response.json, chosen, channelId);
	if (notListed)
		throw new NodeOperationError(n8n.getNode(), notListed, { description: NAME_TEMPLATE });
	return row?.components;
}
