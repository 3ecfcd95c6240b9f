/** How often a property is tried: a few times in `npm test`, many times in the long run. RUNS overrides both. */
export const runs = (few: number, many: number): number =>
	Number(process.env.RUNS ?? (process.env.LONG ? many : few));
