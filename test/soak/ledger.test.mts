import { FakeTime } from '../support/time.mts';
import { startSandbox, type Sandbox } from '../../sandbox/server.mts';
import type { Ticket } from '../../sandbox/records.mts';
import { Ledger } from './ledger.mts';

/** What `npm run test:soak` relies on: that it would notice. */
let sandbox: Sandbox;
let time: FakeTime;
let ledger: Ledger;
let ticket: Ticket;
beforeEach(async () => {
	time = new FakeTime().install();
	sandbox = await startSandbox({ tickets: 2, contacts: 2, clock: time.clock });
	ticket = sandbox.world.tickets.newestFirst().next().value as Ticket;
	ticket.status = 'OPEN';
	ledger = new Ledger(sandbox.world);
});
afterEach(async () => {
	time.restore();
	await sandbox.close();
});

const event = (status: string, previousStatus: string | null) => ({
	recordId: ticket.id,
	eventId: `e:${status}`,
	status,
	previousStatus,
});

test('every change and message once is no finding', () => {
	ticket.status = 'CLOSED';
	ledger.changes([event('CLOSED', 'OPEN')], true);
	ledger.expect('m1');
	ledger.messages([{ recordId: 'm1', eventId: 'm:m1' }]);
	ledger.end();
	expect([ledger.findings, ledger.emitted, ledger.longestWait]).toStrictEqual([[], 2, 0]);
});

test('a change without an event is lost, and its wait is counted in successful polls', () => {
	ticket.status = 'CLOSED';
	for (const succeeded of [true, false, true]) ledger.changes([], succeeded);
	ledger.end();
	expect(ledger.findings).toStrictEqual([`lost: status of ${ticket.id}`]);
	expect(ledger.longestWait).toBe(2);
});

test('a message without an event is lost', () => {
	ledger.expect('m1');
	ledger.end();
	expect(ledger.findings).toStrictEqual(['lost: message m1']);
});

test.each([
	['a status that was reported before', 'OPEN', 'OPEN', 'twice: e:OPEN'],
	['another status than the record has', 'CLOSED', 'OPEN', 'not the status: e:CLOSED'],
])('%s is a finding', (_name, status, previous, finding) => {
	ledger.changes([event(status, previous)], true);
	expect(ledger.findings).toContain(finding);
});

test('a wrong previous status is a finding', () => {
	ticket.status = 'CLOSED';
	ledger.changes([event('CLOSED', null)], true);
	expect(ledger.findings).toStrictEqual(['another previous status than OPEN: e:CLOSED']);
});

test.each(['m1', 'm2'])(
	'a message that is emitted a second time, or was never written: %s',
	(id) => {
		ledger.expect('m1');
		ledger.messages([{ recordId: 'm1', eventId: 'm:m1' }]);
		ledger.messages([{ recordId: id, eventId: `m:${id}` }]);
		expect(ledger.findings).toStrictEqual([`twice, or invented: m:${id}`]);
	},
);
