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
 * A country by its code of two or three letters (ISO 3166-1), or by its name in ten languages or in its own; in any case, with
 * or without accents. Undefined if no country has the name, or several.
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
	for (const entry of THREE_LETTERS.trim().split(/\s+/))
		found.set(entry.slice(0, 3), entry.slice(3) as CountryCode);
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

/** Each with the code of two letters after it. */
const THREE_LETTERS = `
	ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATGAG AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF
	BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BWABW CAFCF CANCA CCKCC CHECH CHLCL
	CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK
	DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH
	GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HNDHN HRVHR HTIHT HUNHU IDNID IMNIM
	INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW
	LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH
	MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG
	NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS
	PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS
	STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN
	TURTR TUVTV TWNTW TZATZ UGAUG UKRUA URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA
	ZMBZM ZWEZW`;
