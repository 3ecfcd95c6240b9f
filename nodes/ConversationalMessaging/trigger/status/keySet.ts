import { DIGITS, digitValue } from '../base64url';
import { KEY_BITS } from '../keys';

/**
 * Encodes keys in little more than the theoretical minimum of characters: sorted, with the gaps between them in a
 * Rice code (the quotient of a gap in ones, the remainder in a fixed number of bits), six bits per character. Keys
 * may repeat.
 *
 * @returns characters of base64url, after the number of remainder bits and the number of keys: "13.4096.xyz…"
 */
export function encodeKeys(keys: readonly number[]): string {
	const sorted = Float64Array.from(keys).sort();
	const count = sorted.length;
	const mean = count === 0 ? 1 : ((sorted[count - 1] as number) + 1) / count;
	const bits = Math.max(0, Math.round(Math.log2(mean * 0.7)));
	let text = '';
	let pending = 0;
	let filled = 0;
	const put = (value: number, width: number): void => {
		pending = (pending << width) | value;
		filled += width;
		while (filled >= 6) {
			filled -= 6;
			text += DIGITS[pending >>> filled] as string;
			pending &= (1 << filled) - 1;
		}
	};
	// In two halves, because JavaScript's bit operators have only 32 bits: five may be pending.
	const low = Math.min(bits, 20);
	const high = bits - low;
	let last = 0;
	for (const key of sorted) {
		const gap = key - last;
		last = key;
		let quotient = Math.floor(gap / 2 ** bits);
		for (; quotient > 0; quotient--) put(1, 1);
		put(0, 1);
		if (high > 0) put(Math.floor(gap / 2 ** low) % 2 ** high, high);
		put(gap % 2 ** low, low);
	}
	if (filled > 0) put(0, 6 - filled);
	return [bits, count, text].join('.');
}

/** The keys of such a text, sorted; undefined if it is invalid. */
export function decodeKeys(text: string): number[] | undefined {
	const [bitsText = '', countText = '', chars] = text.split('.');
	const [bits, count] = [Number(bitsText), Number(countText)];
	if (chars === undefined || !/^\d+$/.test(bitsText) || !/^\d+$/.test(countText)) return undefined;
	if (bits > KEY_BITS) return undefined;
	let next = 0;
	let char = 0;
	let left = 0;
	const text64 = { isBroken: false };
	const take = (): number => {
		if (left === 0) {
			const value = digitValue(chars[next++] ?? '');
			text64.isBroken ||= value === undefined;
			char = value ?? 0;
			left = 6;
		}
		return (char >>> --left) & 1;
	};
	const keys: number[] = [];
	let last = 0;
	while (keys.length < count && !text64.isBroken) {
		let gap = 0;
		while (take() === 1) gap++;
		for (let bit = 0; bit < bits; bit++) gap = gap * 2 + take();
		last += gap;
		keys.push(last);
	}
	return text64.isBroken || next !== chars.length ? undefined : keys;
}
