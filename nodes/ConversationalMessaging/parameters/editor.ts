import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { chosenInEditor } from './parameters';

/** A channel that was picked before, as a field of its own or among the options. */
export function chosenChannel(context: ILoadOptionsFunctions): string | undefined {
	const own = context.getCurrentNodeParameter('channelId');
	const options = context.getCurrentNodeParameter('options') as IDataObject | undefined;
	return chosenInEditor(own ?? options?.channelId);
}
