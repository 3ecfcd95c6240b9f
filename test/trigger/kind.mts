import fc from 'fast-check';

/** Of a step in a random history: how often it occurs, and its random fields. */
export const kind = <T extends string, F extends object>(
	weight: number,
	what: T,
	fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
) => ({
	weight,
	arbitrary: fc.record(fields).map((values) => ({ do: what, ...values }) as { do: T } & F),
});
