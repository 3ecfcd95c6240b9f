import { searchCountries } from './countries';
import { searchContactFields, searchFieldLabels } from './customFields';
import { recordSearches } from './records';
import { searchTimeZones } from './timeZones';

/** The methods behind every "From List", by the names that the fields use. */
export const listSearch = {
	...recordSearches,
	searchContactFields,
	searchCountries,
	searchFieldLabels,
	searchTimeZones,
};
