import { inTurns } from '../../api/base/concurrency';
import { countOf } from '../../parameters/values';
import { customerId } from '../../phone/customerId';

const UNKNOWN = 'unknown';

/**
 * How many recipients are in which country, by the codes of ISO 3166: the most first, unknown ones last.
 *
 * @param addresses phone numbers with country code and user IDs; '' for a recipient without one
 */
export async function recipientsByCountry(
	addresses: readonly string[],
): Promise<Record<string, number>> {
	const counts = new Map<string, number>();
	for await (const address of inTurns(addresses)) {
		const country = customerId(address).country ?? UNKNOWN;
		counts.set(country, (counts.get(country) ?? 0) + 1);
	}
	const isUnknown = (name: string) => Number(name === UNKNOWN);
	return Object.fromEntries(
		[...counts].sort(
			([one, first], [other, second]) => isUnknown(one) - isUnknown(other) || second - first,
		),
	);
}

/**
 * A note about recipients to whom the platform may deliver no marketing templates: since 2025-04-01, it delivers none to US
 * numbers (AWS End User Messaging, docs for WhatsApp).
 *
 * @returns [] if there are none with +1, which other countries share
 */
export async function plusOneNote(
	addresses: readonly string[],
	category: string,
): Promise<string[]> {
	if (category.toUpperCase() !== 'MARKETING') return [];
	const plusOne = addresses.filter((address) => customerId(address).callingCode === '1');
	if (plusOne.length === 0) return [];
	const byCountry = Object.entries(await recipientsByCountry(plusOne));
	const countries = byCountry.map((entry) => entry.join(' '));
	return [
		`${countOf(plusOne.length, 'recipient')} with +1 (${countries.join(', ')}): WhatsApp does not deliver marketing templates to US numbers; +1 is also Canada and others`,
	];
}
