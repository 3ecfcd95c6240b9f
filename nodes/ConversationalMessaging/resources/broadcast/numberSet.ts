/** Slots of an empty set; a power of two, as every later size. */
const FIRST_SLOTS = 1_024;

/**
 * A set of whole numbers from 0 to 2^53 - 2, e.g. phone numbers. It takes up 12 to 24 bytes per number: a file of 300 MB
 * has five million, for which a `Set` would need several times as much, and it ends at 16.7 million.
 */
export class NumberSet {
	size = 0;

	/** Open addressing. 0 is an empty slot, so every number is stored plus 1. */
	private slots = new Float64Array(FIRST_SLOTS);

	has(number: number): boolean {
		return this.slots[placeOf(this.slots, number + 1)] !== 0;
	}

	/** Returns whether the number is new. */
	add(number: number): boolean {
		const place = placeOf(this.slots, number + 1);
		if (this.slots[place] !== 0) return false;
		this.slots[place] = number + 1;
		this.size++;
		if (this.size * 3 > this.slots.length * 2) this.grow();
		return true;
	}

	private grow(): void {
		const larger = new Float64Array(this.slots.length * 2);
		for (const stored of this.slots) if (stored !== 0) larger[placeOf(larger, stored)] = stored;
		this.slots = larger;
	}
}

/** The slot of a stored number, or the empty one where it belongs. */
function placeOf(slots: Float64Array, stored: number): number {
	const last = slots.length - 1;
	let place = hashOf(stored) & last;
	while (slots[place] !== 0 && slots[place] !== stored) place = (place + 1) & last;
	return place;
}

/** Spreads consecutive numbers, which phone numbers often are (the finalizer of MurmurHash3). */
function hashOf(stored: number): number {
	let hash = (stored % 0x1_0000_0000 | 0) ^ Math.imul(stored / 0x1_0000_0000, 0x9e37_79b1);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
	return hash ^ (hash >>> 16);
}
