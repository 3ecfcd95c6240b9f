import fc from 'fast-check';

/** Of the steps of random histories, one kind: how often it occurs, and its random fields. */
export const kind = <T extends string, F extends object>(
	weight: number,
	what: T,
	fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
) => ({
	weight,
	arbitrary: fc.record(fields).map((values) => ({ do: what, ...values })),
});

/** With millions of assertions, Jest's own `expect` would take most of the time. */
export function check(isTrue: boolean, what: string, ...details: unknown[]): void {
	if (!isTrue) throw new Error([what, ...details.map((each) => JSON.stringify(each))].join(' '));
}
