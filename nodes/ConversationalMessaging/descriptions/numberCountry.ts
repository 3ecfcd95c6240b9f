import type { INodeProperties } from 'n8n-workflow';
import { NUMBER_COUNTRY } from '../parameters/parameters';
import { locator } from './locator';

/** The option of every operation where users enter phone numbers: `Parameters.numberCountry` reads it. */
export const numberCountryField: INodeProperties = locator({
	displayName: 'Country of Numbers',
	name: NUMBER_COUNTRY,
	search: 'searchCountries',
	noun: 'country',
	example: 'DE or Germany',
	byId: { name: 'name', displayName: 'By Code or Name' },
	description:
		'The country of phone numbers without country code, such as 0151 2345678. Numbers that begin with + or 00, and IDs, stay as they are. A number that could also be one of another country is rejected, with both readings. An expression can return the code or the name of a country.',
	builderHint: {
		propertyHint:
			'Use mode name with the two-letter code of the country, or with an expression that reads it. Leave it out if all numbers have a country code.',
	},
});
