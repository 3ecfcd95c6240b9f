import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createEditorClient } from '../api/client';
import { send } from '../api/send';
import { chosenChannel, chosenInEditor } from '../parameters/editor';
import {
	findTemplate,
	MAX_TEMPLATES,
	NAME_TEMPLATE,
	pickedTemplate,
	TEMPLATE_LIST,
	whyNotListed,
} from '../parameters/template';
import { fieldLabel, variablesOf } from '../parameters/templateVariables';

/** The variables of the chosen template as fields, for the editor. */
export async function getTemplateVariables(
	this: ILoadOptionsFunctions,
): Promise<ResourceMapperFields> {
	const value = chosenInEditor(this.getCurrentNodeParameter('templateId'));
	if (value === undefined) return { fields: [] };
	const { id } = pickedTemplate(value);
	const client = await createEditorClient(this);
	const query = { limit: MAX_TEMPLATES, channelId: chosenChannel(this) };
	const response = await send(client, { ...TEMPLATE_LIST, query });
	const template = findTemplate(response.json, id);
	const notListed = template ? undefined : whyNotListed(response.json, id);
	if (notListed)
		throw new NodeOperationError(this.getNode(), notListed, { description: NAME_TEMPLATE });
	const variables = variablesOf(template?.components);
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
