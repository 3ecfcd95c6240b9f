import { searchContacts } from './contacts';
import { searchCountries } from './countries';
import { searchContactFields, searchFieldLabels } from './customFields';
import { searchRecipients } from './recipients';
import { recordSearches } from './records';
import { searchTimeZones } from './timeZones';

/** The methods behind every "From List", by the names that the fields use. */
export const listSearch = {
	...recordSearches,
	searchContactFields,
	searchContacts,
	searchCountries,
	searchFieldLabels,
	searchRecipients,
	searchTimeZones,
};
