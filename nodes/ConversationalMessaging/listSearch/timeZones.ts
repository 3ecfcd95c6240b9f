import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { containsText } from './search';

/** The names of all time zones. */
export async function searchTimeZones(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const { supportedValuesOf } = Intl as typeof Intl & {
		supportedValuesOf: (key: 'timeZone') => string[];
	};
	const names = ['UTC', ...supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
	const results = names
		// "New York" is in America/New_York.
		.filter((name) => containsText(name.replace(/_/g, ' '), filter.trim().replace(/_/g, ' ')))
		.map((name) => ({ name, value: name }));
	return await Promise.resolve({ results });
}
