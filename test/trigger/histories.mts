/** What the random histories of statuses and of messages have in common. */
import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';
import type { PollContext } from '../../nodes/ConversationalMessaging/trigger/reports.ts';
import { NODE } from '../support/node.mts';

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

/** To reproduce one history: the seed and the path of a failure. */
export const reproduced = process.env.SEED
	? { seed: Number(process.env.SEED), path: process.env.AT }
	: {};

/** Whether only some histories are run, which need not reach everything. */
export const areChosen = Boolean(process.env.RUNS ?? process.env.SEED);

/** That each of these has happened in at least one history. Chosen ones print what they reached instead. */
export function expectReached(reached: Readonly<Record<string, number>>): void {
	if (areChosen) {
		console.info(reached);
		return;
	}
	for (const [what, histories] of Object.entries(reached))
		expect([what, histories > 0]).toStrictEqual([what, true]);
}

/** What a request throws that the service rejects, or does not respond to. */
export function failure(status = 503): NodeApiError {
	const message = `Status ${status}`;
	return new NodeApiError(NODE, { message }, { message, httpCode: String(status) });
}

/** Of a poll without n8n. @param logged receives the lines of n8n's log; those of warnings begin with "! " */
export const contextWith = (logged: string[]): PollContext => ({
	node: NODE,
	log: {
		warn: (line) => void logged.push(`! ${String(line)}`),
		info: (line) => void logged.push(String(line)),
	},
});
