/**
 * libphonenumber-js (MIT), behind this file alone: the build bundles it into the file, as the package has no dependencies.
 *
 * With all of its metadata, 76 KB more than with the least, which knows lengths only: it calls +91 12345678 valid, so 9112345678, a
 * mobile phone in India without its country code, would be sent as that number.
 */
export {
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
} from 'libphonenumber-js/max';
export type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
