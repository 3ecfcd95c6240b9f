import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { chosenInEditor } from './parameters';

/** The channel that the user picked, in its own field or in the options. */
export function chosenChannel(context: ILoadOptionsFunctions): string | undefined {
	const own = context.getCurrentNodeParameter('channelId');
	const options = context.getCurrentNodeParameter('options') as IDataObject | undefined;
	return chosenInEditor(own ?? options?.channelId);
}
