/** Times of creation inside IDs. */

export type IdForm =
	| 'cuid'
	| 'ULID'
	| 'UUID version 7'
	| 'UUID version 1'
	| 'ObjectId'
	| 'snowflake'
	| 'sequence number';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Start of the epoch of the usual snowflake IDs: Twitter, Discord, Instagram. */
const SNOWFLAKE_EPOCHS = [1_288_834_974_657, 1_420_070_400_000, 1_314_220_021_721];

/**
 * The time that an ID contains, if it has the form of one that does.
 *
 * @param now milliseconds since the epoch; a later time is none
 */
export function idTime(id: string, now: number): { ms: number; form: IdForm } | undefined {
	const found = candidates(id).find(({ ms }) => ms > Date.UTC(2005, 0) && ms <= now + 86_400_000);
	return found;
}

function candidates(id: string): { ms: number; form: IdForm }[] {
	if (/^c[a-z0-9]{24}$/.test(id)) return [{ ms: parseInt(id.slice(1, 9), 36), form: 'cuid' }];
	if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(id)) {
		const time = Array.from(id.slice(0, 10).toUpperCase());
		const ms = time.reduce((sum, digit) => sum * 32 + CROCKFORD.indexOf(digit), 0);
		return [{ ms, form: 'ULID' }];
	}
	const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-([17])([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/i.exec(
		id,
	);
	if (uuid) {
		const [, low = '', middle = '', version, high = ''] = uuid;
		if (version === '7') return [{ ms: parseInt(low + middle, 16), form: 'UUID version 7' }];
		const ticks = parseInt(high + middle + low, 16);
		return [{ ms: ticks / 10_000 - 12_219_292_800_000, form: 'UUID version 1' }];
	}
	if (/^[0-9a-f]{24}$/i.test(id))
		return [{ ms: parseInt(id.slice(0, 8), 16) * 1000, form: 'ObjectId' }];
	if (/^\d{17,19}$/.test(id))
		return SNOWFLAKE_EPOCHS.map((epoch) => ({
			ms: Number(BigInt(id) >> 22n) + epoch,
			form: 'snowflake' as const,
		}));
	return [];
}
