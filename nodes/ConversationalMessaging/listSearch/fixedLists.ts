import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { countries } from '../phone/country';
import { matching } from './search';

/** Makes the method behind a "From List" whose entries do not come from the service. */
const searchIn =
	(entries: () => INodeListSearchItems[]) =>
	async (filter?: string): Promise<INodeListSearchResult> =>
		await Promise.resolve({ results: matching(entries(), filter) });

export const searchCountries = searchIn(() =>
	countries().map(({ code, name, callingCode }) => ({
		name: `${name} (+${callingCode})`,
		value: code,
	})),
);

export const searchTimeZones = searchIn(() => {
	const { supportedValuesOf } = Intl as typeof Intl & {
		supportedValuesOf: (key: 'timeZone') => string[];
	};
	const names = ['UTC', ...supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
	return names.map((name) => ({ name, value: name }));
});
