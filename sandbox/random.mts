/** A small seeded generator (mulberry32): the same seed gives the same records on every machine. */
export function seededRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

/** Makes ids in the form of a cuid: "c", then 24 letters and digits that differ from record to record. */
export function idMaker(random: () => number): () => string {
	let counter = 0;
	return () => {
		counter++;
		const tail = Math.floor(random() * 36 ** 8)
			.toString(36)
			.padStart(8, '0');
		return `cm${counter.toString(36).padStart(15, '0')}${tail}`;
	};
}
