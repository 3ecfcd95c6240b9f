import {
	type CountryCode,
	type PhoneNumber as LibraryNumber,
	getCountries,
	getCountryCallingCode,
	parsePhoneNumberFromString,
} from './libphonenumber';

/** How likely it is that digits are a number: by their length, by the ranges in use, by those of mobile phones. */
export const Likelihood = { impossible: 0, possible: 1, valid: 2, mobile: 3 } as const;

/** E.164 allows fifteen digits; the shortest international numbers have seven. */
export const MAX_DIGITS = 15;
export const MIN_DIGITS = 7;

/** A phone number with country code. It may be as a service has stored it, so it need not be a possible one. */
export class PhoneNumber {
	readonly kind = 'phoneNumber';

	/**
	 * @param digits with the country code
	 * @param id as it is sent: WhatsApp's own IDs are digits, without a plus
	 */
	constructor(
		readonly digits: string,
		private parsed?: LibraryNumber,
		readonly id = digits,
	) {}

	/** @param digits with the country code; undefined if no country has that */
	static international(digits: string): PhoneNumber | undefined {
		// The library would make the number that is dialed of an older WhatsApp ID.
		return isOldWhatsAppId(digits) ? new PhoneNumber(digits) : fromLibrary(parse(`+${digits}`));
	}

	/** @param digits as they are dialed in the country; undefined if they cannot be a number of it */
	static national(digits: string, country: CountryCode): PhoneNumber | undefined {
		const code = getCountryCallingCode(country);
		// The library drops a country code that it finds.
		const number = digits.startsWith(code) ? parse(`+${code}${digits}`) : parse(digits, country);
		return number?.countryCallingCode === code ? fromLibrary(number) : undefined;
	}

	/** The same for all variants of a number, never sent: its digits as they are dialed from abroad. */
	get key(): string {
		return dialed(withoutNationalZero(this.digits));
	}

	/**
	 * The variants in which the service may store the number, the likely one first: its digits, then with a plus, then the
	 * other WhatsApp ID if it has two. Who tries which: resources/shared/numberVariants.ts.
	 */
	get variants(): string[] {
		if (this.id !== this.digits) return [this.id];
		return whatsAppIds(this.digits).flatMap((digits) => [digits, `+${digits}`]);
	}

	/** The digits that may be meant: its WhatsApp IDs, and those without a 0 after the country code, where that is in doubt. */
	get spellings(): string[] {
		const digits = withoutNationalZero(this.digits);
		const short = digits.replace(CODE_AND_ZERO, '$1');
		return short === digits ? whatsAppIds(digits) : [...whatsAppIds(digits), short];
	}

	/** What is left of each spelling without its first digits: a shorter number may be this one without its country code. */
	get endings(): string[] {
		const endings: string[] = [];
		for (const digits of this.spellings)
			for (let first = 0; digits.length - first >= MIN_DIGITS; first++)
				endings.push(digits.slice(first));
		return endings;
	}

	get callingCode(): string | undefined {
		return CODE.exec(this.digits)?.[0];
	}

	/** Two letters (ISO 3166); undefined if several countries share the code, and the number does not show which it is. */
	get country(): string | undefined {
		return this.library?.country;
	}

	/** As people write it: `+49 1511 2345678`; what is no number stays as it is. */
	get shown(): string {
		return this.library?.isPossible() ? this.library.formatInternational() : this.id;
	}

	/** The library drops the 0 of +49 (0)151, and keeps that of +39 06. One that its country's numbers do not have is left. */
	get isPossible(): boolean {
		if (isOldWhatsAppId(this.digits)) return true;
		const { library: number } = this;
		return (
			number?.isPossible() === true &&
			this.digits.length <= MAX_DIGITS &&
			(!number.nationalNumber.startsWith('0') || number.isValid())
		);
	}

	get likelihood(): number {
		if (!this.isPossible) return Likelihood.impossible;
		if (isOldWhatsAppId(this.digits)) return Likelihood.mobile;
		const type = this.library?.getType();
		if (type !== undefined) return type.includes('MOBILE') ? Likelihood.mobile : Likelihood.valid;
		// The library does not know new area codes of +1, and there are several a year.
		return /^1[2-9]/.test(this.digits) ? Likelihood.valid : Likelihood.possible;
	}

	private get library(): LibraryNumber | undefined {
		return (this.parsed ??= parse(`+${this.digits}`));
	}
}

const parse = (text: string, defaultCountry?: CountryCode): LibraryNumber | undefined =>
	parsePhoneNumberFromString(text, { defaultCountry, extract: false });

const fromLibrary = (number: LibraryNumber | undefined): PhoneNumber | undefined =>
	number && new PhoneNumber(number.number.slice(1), number);

/** A country code. None begins with another one. */
const CODE = new RegExp(
	`^(?:${[...new Set(getCountries().map((country) => getCountryCallingCode(country)))].join('|')})`,
);

const CODE_AND_ZERO = new RegExp(`(${CODE.source})0`);

/** 4915112345678 for 49015112345678, as a service may have stored it, if that is certain: the 0 of 390612345678 stays. */
function withoutNationalZero(digits: string): string {
	// The library takes time.
	if (!CODE_AND_ZERO.test(digits)) return digits;
	const number = parse(`+${digits}`);
	const short = digits.replace(CODE_AND_ZERO, '$1');
	return number?.isValid() && number.number === `+${short}` ? short : digits;
}

/**
 * The digits that differ between a number as it is dialed and an ID of WhatsApp, which the library does not know. Each
 * entry: from one to the other, and back. Source: WhatsApp Cloud API, "Phone Numbers", numbers of Brazil and Mexico.
 */
const WHATSAPP_IDS: [id: RegExp, dialed: string, number: RegExp, back: string][] = [
	// Until 2019, numbers of mobile phones in Mexico had a 1 after the country code (IFT, numbering plan).
	[/^521(\d{10})$/, '52$1', /^52(\d{10})$/, '521$1'],
	// To mobile phones in Argentina, a 9 is dialed from abroad only (ENACOM, numbering plan).
	[/^549(\d{10})$/, '54$1', /^54(\d{10})$/, '549$1'],
	// Since 2012, numbers of mobile phones in Brazil have a ninth digit; older IDs lack it (Anatel, resolution 553).
	[/^(55[1-9]\d)9([6-9]\d{7})$/, '$1$2', /^(55[1-9]\d)([6-9]\d{7})$/, '$19$2'],
];

const isOldWhatsAppId = (digits: string): boolean => /^521\d{10}$/.test(digits);

/** The same digits for both WhatsApp IDs of a number. */
function dialed(digits: string): string {
	const [id, number = ''] = WHATSAPP_IDS.find(([pattern]) => pattern.test(digits)) ?? [];
	return id ? digits.replace(id, number) : digits;
}

/** The WhatsApp ID, and the other one if the number has two. */
function whatsAppIds(digits: string): string[] {
	const short = dialed(digits);
	if (short !== digits) return [digits, short];
	const [, , number, id = ''] = WHATSAPP_IDS.find(([, , pattern]) => pattern.test(digits)) ?? [];
	return number ? [digits, digits.replace(number, id)] : [digits];
}
