import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { countries } from '../parameters/country';

/** The countries that phone numbers may be from, for the editor. */
export async function getCountries(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const entries = countries().map(({ code, name, callingCode }) => ({
		name: `${name} (+${callingCode})`,
		value: code,
	}));
	return await Promise.resolve([{ name: 'From the Number', value: '' }, ...entries]);
}
