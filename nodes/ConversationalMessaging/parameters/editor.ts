import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { isBlank, locatorValue, readId } from './values';

/** The channel that the user picked, in its own field or in the options. */
export function chosenChannel(n8n: ILoadOptionsFunctions): string | undefined {
	const field = n8n.getCurrentNodeParameter('channelId');
	const options = n8n.getCurrentNodeParameter('options') as IDataObject | undefined;
	return chosenInEditor(field ?? options?.channelId);
}

/** The value chosen in a resource locator in the editor; undefined for none, and for an expression. */
export function chosenInEditor(locator: unknown): string | undefined {
	const value = locatorValue(locator);
	const id = isBlank(value) ? undefined : readId(value).value;
	// An expression has no value yet while the workflow is edited.
	return id?.startsWith('=') ? undefined : id;
}
