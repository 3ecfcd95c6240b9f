/** A saved state that was damaged, or written by hand: any value at any place. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import * as core from 'n8n-core';
import { decode, encode } from '../../nodes/ConversationalMessaging/trigger/state.ts';
import { runs } from '../support/runs.mts';
import { keyOf } from '../../nodes/ConversationalMessaging/trigger/keys.ts';
import { SharedHarness } from './sharedHarness.mts';
import { ticketChanges, triggersOf, type Trigger } from './triggerHarness.mts';
import { computedMs } from '../support/computedMs.mts';

const EVENTS = { events: ['messageReceived', 'ticketStatusChanged'] };

/** What the log says of a state that cannot be read. */
const UNREADABLE = expect.stringMatching(/Some of the saved state .* cannot be read/) as string;

const service = new SharedHarness({ tickets: 8, contacts: 8 });
const { publish, restart } = triggersOf(service);

let trigger: Trigger;
/** The static data of the workflow, and in it the text of the state, with long lists. */
let saved: Record<string, IDataObject>;
let key: string;
let text: string;
let log: string[];

beforeEach(async () => {
	log = [];
	const warn = (message: string) => void log.push(message);
	jest
		.spyOn(core.PollContext.prototype, 'logger', 'get')
		.mockReturnValue({ warn, info: warn } as unknown as core.PollContext['logger']);
	trigger = await publish(EVENTS);
	saved = JSON.parse(trigger.poller.saved) as typeof saved;
	key = Object.keys(saved)[0]!;
	const { sources, messages } = decode(saved[key]!.state);
	const { ticketStatusChanged: tickets } = sources;
	const hashes = new Map(['a', 'b', 'c'].map((key) => [keyOf(key), 'CLOSED']));
	const memory = { ...tickets!.memory!, hashes };
	text = encode({ sources: { ticketStatusChanged: { ...tickets!, memory } }, messages });
});

const withState = (state: unknown): Trigger =>
	restart(trigger, { saved: JSON.stringify({ [key]: { state } }) });

/** Polls twice from a state. @returns the changes of tickets that the second poll emits, one of which happens before it */
async function pollFrom(state: unknown): Promise<{ found: string[]; change: string }> {
	const restored = withState(state);
	const first = await restored.poll();
	expect(first.error).toBeUndefined();
	const ticket = service.world.tickets.filter(() => true)[0]!;
	const before = ticket.status;
	ticket.status = before === 'OPEN' ? 'IN_PROGRESS' : 'OPEN';
	service.time.clock.advance(60_000);
	const second = await restored.poll();
	expect(second.error).toBeUndefined();
	const change = `${ticket.ticketNumber} ${before}>${ticket.status}`;
	return { found: ticketChanges(second.events), change };
}

test('the state that is damaged below is valid, and not logged', async () => {
	const { found, change } = await pollFrom(text);
	expect(found).toContain(change);
	expect(log).toStrictEqual([]);
});

test.each<[what: string, state: () => unknown]>([
	['without checkpoints', () => '{"version":4}'],
	['a number', () => 7],
	['a list before its first page', () => text.replace(/"page":\d+/, '"page":0')],
	['cut off', () => text.slice(0, text.length / 2)],
	['messages as a list', () => text.replace(/"messages":.*/, '"messages":[]}')],
	['a status that is no text', () => text.replace('"records":[["', '"records":[[7,"')],
	['hashes that are cut off', () => text.replace(/(?<="CLOSED",")\w/, '')],
])('%s: the trigger starts anew and goes on, and the log says so once', async (_what, state) => {
	const { found, change } = await pollFrom(state());
	expect(found).toContain(change);
	expect(log.filter((line) => line.includes('saved state'))).toStrictEqual([UNREADABLE]);
});

/** A place in a value of JSON: the keys to it. */
function placesIn(value: unknown, path: string[] = []): string[][] {
	if (typeof value !== 'object' || value === null) return [path];
	const inside = Object.entries(value).flatMap(([name, each]) => placesIn(each, [...path, name]));
	return [path, ...inside];
}

/** With another value at a place; without it, if that is undefined. */
function changed(value: unknown, [name, ...rest]: string[], other: unknown): unknown {
	if (name === undefined) return other;
	const entries = Object.entries(value as object).map(([each, inner]): [string, unknown] => [
		each,
		each === name ? changed(inner, rest, other) : inner,
	]);
	if (Array.isArray(value)) return entries.map(([, each]) => each);
	return Object.fromEntries(entries);
}

const other = fc.oneof(
	fc.jsonValue(),
	fc.constantFrom<unknown[]>(
		...[undefined, null, 0, -1, 0.5, 43, 3e9, 1e300, '', 'all', '__proto__', '42.9.', '0.9e9.AAAA'],
		...[[], {}, [[]], [null], [['OPEN', `0.600000.${'A'.repeat(100_000)}`]]],
		...['A'.repeat(160_000), Array.from({ length: 100_000 }, (_, i) => i)],
		JSON.parse('{"__proto__":{"page":1}}'),
	),
);

test('no poll throws, blocks or stops finding changes, whatever the state contains at any place', async () => {
	const valid = JSON.parse(text) as unknown;
	const places = placesIn(valid);
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...places), other, async (place, value) => {
			const started = computedMs();
			const damaged = changed(valid, place, value);
			await pollFrom(
				place.length === 0 && value === undefined ? undefined : JSON.stringify(damaged),
			);
			expect(computedMs() - started).toBeLessThan(30_000);
		}),
		{ numRuns: runs(40, 3_000) },
	);
});
