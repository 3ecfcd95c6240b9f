import type { INodeProperties } from 'n8n-workflow';
import { NUMBER_COUNTRY } from '../parameters/parameters';

/** The option of every operation where users enter phone numbers: `Parameters.numberCountry` reads it. */
export const numberCountryField: INodeProperties = {
	displayName: 'Country of Numbers Name or ID',
	name: NUMBER_COUNTRY,
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getCountries' },
	default: '',
	description:
		'The country of phone numbers without country code, such as 0151 2345678. Numbers that begin with + or 00, and IDs, stay as they are. A number that could also be one of another country is rejected, with both readings. An expression can return the code or the name of a country. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};
