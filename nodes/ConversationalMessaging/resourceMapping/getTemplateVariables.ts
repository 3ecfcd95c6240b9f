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
	whyNotListed,
} from '../parameters/template';
import type { TemplateVariable } from '../parameters/templateVariables';
import { fieldLabel, variablesOf } from '../parameters/templateVariables';

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const variables = await variablesOfChosen(this, this.getCurrentNodeParameter('templateId'));
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

/** The variables of the chosen fallback template as a list, for the editor. */
export async function getFallbackVariables(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const variables = await variablesOfChosen(
		this,
		this.getCurrentNodeParameter('options.templateId'),
	);
	return variables.map((variable) => ({ name: fieldLabel(variable), value: variable.id }));
}

async function variablesOfChosen(
	context: ILoadOptionsFunctions,
	locator: unknown,
): Promise<TemplateVariable[]> {
	const value = chosenInEditor(locator);
	if (value === undefined) return [];
	const chosen = parseTemplate(value);
	const client = await createEditorClient(context);
	const channelId = chosenChannel(context);
	const query = { limit: MAX_TEMPLATES, channelId };
	const response = await send(client, { ...TEMPLATE_LIST, query });
	const template = findTemplate(response.json, chosen, channelId);
	const notListed = template ? undefined : whyNotListed(response.json, chosen);
	if (notListed)
		throw new NodeOperationError(context.getNode(), notListed, { description: NAME_TEMPLATE });
	return variablesOf(template?.components);
}
