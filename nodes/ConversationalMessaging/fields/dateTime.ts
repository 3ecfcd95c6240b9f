/**
 * A date and time with its offset, in ISO 8601.
 *
 * @param text with an offset of its own, or as the clock on the wall of a time zone shows it
 * @param timeZone an IANA name, e.g. "Europe/Berlin"
 * @returns undefined when the text is no date
 */
export function withOffset(text: string, timeZone: string): string | undefined {
	const hasOffset = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text.trim());
	// Read as if it were UTC first, to find out the offset that holds there at about that time.
	const wall = Date.parse(hasOffset ? text : `${text.trim().replace(' ', 'T')}Z`);
	if (Number.isNaN(wall)) return undefined;
	if (hasOffset) return isoAt(wall, offsetMinutes(wall, timeZone));
	const guess = offsetMinutes(wall, timeZone);
	// Around a change of the clocks the first guess may be an hour off; the second is right.
	const offset = offsetMinutes(wall - guess * 60_000, timeZone);
	return isoAt(wall - offset * 60_000, offset);
}

/** How far a time zone is ahead of UTC at a time, in minutes. */
function offsetMinutes(time: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	}).formatToParts(time);
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
	const wall = Date.UTC(
		of('year'),
		of('month') - 1,
		of('day'),
		of('hour'),
		of('minute'),
		of('second'),
	);
	return Math.round((wall - Math.floor(time / 1000) * 1000) / 60_000);
}

function isoAt(time: number, offset: number): string {
	const sign = offset < 0 ? '-' : '+';
	const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
		String(part).padStart(2, '0'),
	);
	return `${new Date(time + offset * 60_000).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
