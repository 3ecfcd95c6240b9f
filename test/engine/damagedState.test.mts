/** A saved state that was damaged, or is of another version. */
import type { IDataObject } from 'n8n-workflow';
import { PollContext } from 'n8n-core';
import { captureLog, SharedHarness } from './sharedHarness.mts';
import { ticketChanges, triggersOf } from './triggerHarness.mts';

const service = new SharedHarness({ tickets: 8, contacts: 8 });
const { publish, restart } = triggersOf(service);

test.each<[what: string, damaged: (text: string) => unknown]>([
	['a number', () => 7],
	['of another version', (text) => text.replace(/^\d+/, '7')],
	['cut off', (text) => text.slice(0, text.length / 2)],
	['another status', (text) => text.replace('OPEN', 'SHUT')],
])('%s: the trigger starts over and goes on, and the log says so once', async (_what, damaged) => {
	const log: string[] = [];
	captureLog((message) => void log.push(message as string), PollContext);
	// What was there at the first poll is not emitted again.
	const options = { startFrom: 'existing' };
	const trigger = await publish({ events: ['messageReceived', 'ticketStatusChanged'], options });
	const saved = JSON.parse(trigger.poller.saved) as Record<string, IDataObject>;
	const [key, { state }] = Object.entries(saved)[0] as [string, { state: string }];
	const damagedState = { [key]: { state: damaged(state) } };
	const restored = restart(trigger, { saved: JSON.stringify(damagedState) });
	expect((await restored.poll()).events).toBeNull();
	const ticket = service.world.tickets.filter(() => true)[0]!;
	const before = ticket.status;
	ticket.status = before === 'OPEN' ? 'IN_PROGRESS' : 'OPEN';
	service.time.clock.advance(60_000);
	const change = `${ticket.ticketNumber} ${before}>${ticket.status}`;
	expect(ticketChanges((await restored.poll()).events)).toStrictEqual([change]);
	expect(log.filter((line) => line.includes('saved state'))).toStrictEqual([
		expect.stringMatching(/cannot be read/),
	]);
});
