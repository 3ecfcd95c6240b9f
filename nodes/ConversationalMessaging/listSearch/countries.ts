import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { countries } from '../phone/country';
import { containsText } from './search';

/** The countries that phone numbers may be from. */
export async function searchCountries(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const results = countries()
		.map(({ code, name, callingCode }) => ({ name: `${name} (+${callingCode})`, value: code }))
		.filter(({ name }) => containsText(name, filter.trim()));
	return await Promise.resolve({ results });
}
