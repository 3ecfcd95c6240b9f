import {
	type CountryCode,
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
} from './libphonenumber';

/** All countries that have phone numbers, with their English names in order. */
export function countries(): { code: CountryCode; name: string; callingCode: string }[] {
	const names = namesIn('en');
	return getCountries()
		.map((code) => ({
			code,
			name: names.of(code) ?? code,
			callingCode: getCountryCallingCode(code),
		}))
		.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/**
 * A country by its code of two letters (ISO 3166-1), or by its name in ten languages or in its own; in any case, with or without
 * accents. Undefined if no country has the name, or several.
 */
export function countryNamed(text: string): CountryCode | undefined {
	const code = text.toUpperCase();
	if (isSupportedCountry(code)) return code;
	countryByName ??= readNames();
	return countryByName.get(plain(text));
}

let countryByName: ReadonlyMap<string, CountryCode | undefined> | undefined;

/** By name as `plain` writes it. Read when a name is first looked up, which takes 50 ms. */
function readNames(): ReadonlyMap<string, CountryCode | undefined> {
	const found = new Map<string, CountryCode | undefined>();
	const add = (name: string, code: CountryCode): void => {
		const key = plain(name);
		found.set(key, found.has(key) && found.get(key) !== code ? undefined : code);
	};
	const languages = LANGUAGES.flatMap((language) => [
		namesIn(language),
		namesIn(language, 'short'),
	]);
	for (const code of getCountries()) {
		const own = namesIn(new Intl.Locale(`und-${code}`).maximize().language);
		// Two letters are a code: RU is Russia's, and the Reino Unido in Spanish.
		for (const name of [...languages, own].map((names) => names.of(code)))
			if (name !== undefined && !/^[A-Z]{2}$/.test(plain(name))) add(name, code);
		for (const name of OTHER_NAMES[code] ?? []) add(name, code);
	}
	return found;
}

/** A Node.js that is built with a single language returns the names in that. */
const namesIn = (language: string, style: 'long' | 'short' = 'long') =>
	new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' });

/** "Bosnia & Herzegovina", "The Gambia" and "Saint Lucia" as "Bosnia and Herzegovina", "Gambia" and "St. Lucia". */
const plain = (name: string): string =>
	name
		.normalize('NFKD')
		.toUpperCase()
		.replace(/\bSAINT\b/g, 'ST')
		.replace(/(?<= )(?:AND|THE)(?= )|^THE /g, '')
		.replace(/[^\p{L}\p{N}]/gu, '');

/** The same as in docs/jobs/opt-out.md. */
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'id', 'it', 'nl', 'pt', 'tr'];

/** Names that sheets and the forms of other programs have, and `Intl` does not; and one that two countries have. */
const OTHER_NAMES: Partial<Record<CountryCode, string[]>> = {
	AE: ['UAE', 'Emirates'],
	CD: ['Congo', 'DRC', 'DR Congo', 'Democratic Republic of the Congo'],
	CG: ['Congo', 'Republic of the Congo'],
	CI: ['Ivory Coast'],
	CZ: ['Czech Republic'],
	GB: ['UK', 'England', 'Great Britain', 'Northern Ireland', 'Scotland', 'Wales'],
	KR: ['Republic of Korea'],
	MK: ['Macedonia'],
	MM: ['Burma'],
	MO: ['Macau'],
	NL: ['Holland'],
	RU: ['Russian Federation'],
	SZ: ['Swaziland'],
	TL: ['East Timor'],
	TR: ['Turkey'],
	US: ['America', 'United States of America'],
	VA: ['Vatican', 'Holy See'],
};
