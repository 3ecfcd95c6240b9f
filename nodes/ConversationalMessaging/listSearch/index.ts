import { searchContactFields, searchFieldLabels } from './customFields';
import { searchCountries, searchTimeZones } from './fixedLists';
import { recordSearches } from './records';

/** The methods behind every "From List", by the names that the fields use. */
export const listSearch = {
	...recordSearches,
	searchContactFields,
	searchCountries,
	searchFieldLabels,
	searchTimeZones,
};
