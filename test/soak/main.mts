/**
 * `npm run test:soak`: a simulated week of n8n's engine with two triggers that poll every minute, against a sandbox in
 * which tickets, chats and messages change, limits change, and requests fail, while n8n restarts now and then. Nothing
 * may be lost or emitted twice, and memory and state must stay level. DAYS=0.2 makes it shorter, SEED another history.
 */
import { styleText } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { clock } from '../../nodes/ConversationalMessaging/api/base/clock.ts';
import { seededRandom } from '../../sandbox/random.mts';
import { startSandbox } from '../../sandbox/server.mts';
import { builtClock } from '../../tools/engine/builtClock.mts';
import { loadEngine } from '../engine/harness.mts';
import { triggersOf, type Trigger } from '../engine/triggerHarness.mts';
import { FakeTime } from '../support/time.mts';
import { History } from './history.mts';
import { Ledger } from './ledger.mts';

const days = Number(process.env.DAYS ?? 7);
const seed = Number(process.env.SEED ?? 1);
const minutes = Math.round(days * 1440);

/** As many polls without changes in the end: what was found late must be emitted by then. */
const QUIET_MINUTES = 60;

/** Beyond this growth from the middle to the last third of the run, memory is not level. */
const MOST_GROWTH_MB = 5;

/** What the documentation promises: n8n saves the state with every event. */
const MOST_STATE_KB = 256;

const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('Run it with --expose-gc: npm run test:soak');

const time = new FakeTime().install();
const random = seededRandom(seed);
clock.random = random;
Object.assign(builtClock, clock);

const sandbox = await startSandbox({
	clock: time.clock,
	seed,
	tickets: 900,
	contacts: 60,
	rateLimit: { requests: 300 },
	shapes: { chatActivity: 'lastMessageAt', channelTotals: 'none' },
});
const credential = { baseUrl: sandbox.baseUrl, apiToken: sandbox.tokens.all.value };
const { publish, restart } = triggersOf({ sandbox, engine: await loadEngine(), credential });

let statuses = await publish({ events: ['ticketStatusChanged', 'chatEscalationChanged'] });
let messages = await publish({ events: ['messageReceived'], groupMessages: 'message' });
const ledger = new Ledger(sandbox.world);
const history = new History(sandbox, seed, (id) => ledger.expect(id));

let requests = 0;
let failedPolls = 0;
/** Requests that the service rejected for its limit, or that failed. */
let failedRequests = 0;
const memory: number[] = [];
const state: number[] = [];
const started = performance.now();

for (let minute = 0; minute < minutes + QUIET_MINUTES; minute++) {
	time.clock.advance(60_000);
	if (minute >= minutes) history.end();
	else if (history.minute()) {
		statuses = restart(statuses);
		messages = restart(messages);
	}
	ledger.changes(...(await poll(statuses)));
	ledger.messages((await poll(messages))[0]);
	requests += sandbox.requests.length;
	failedRequests += sandbox.requests.filter(({ status }) => status !== 200).length;
	sandbox.requests.length = 0;
	time.waits.length = 0;
	if (minute % Math.ceil(minutes / 30) === 0) measure(minute);
}
ledger.end();
await sandbox.close();
report();

async function poll(trigger: Trigger): Promise<[events: IDataObject[], succeeded: boolean]> {
	const { events, error } = await trigger.poll();
	if (error) failedPolls++;
	return [events ?? [], error === undefined];
}

function measure(minute: number): void {
	collect?.();
	memory.push(process.memoryUsage().heapUsed / 1024 ** 2);
	state.push((statuses.poller.saved.length + messages.poller.saved.length) / 1024);
	const day = (minute / 1440).toFixed(1);
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(
		`day ${day}, ${seconds} s: ${memory.at(-1)!.toFixed(1)} MB, state ${state.at(-1)!.toFixed(1)} KB, ${ledger.findings.length} findings`,
	);
}

function report(): void {
	const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
	const third = Math.floor(memory.length / 3);
	const growth = mean(memory.slice(-third)) - mean(memory.slice(third, 2 * third));
	const largest = Math.max(...state);
	const { tickets, changes, escalations, messages: written, ...around } = history.counts;
	console.log(`
${days} simulated days in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}
  happened   ${tickets} new tickets, ${changes} changes of tickets, ${escalations} of escalations, ${written} messages
  around     ${around.outages} outages, ${around.limits} changes of the rate limit, ${around.restarts} restarts
  polls      ${2 * (minutes + QUIET_MINUTES)}, ${failedPolls} reported a failure (short outages are silent); ${requests} requests, ${failedRequests} failed
  events     ${ledger.emitted}; a status waited for ${ledger.longestWait} polls without a reported failure at most
  memory     ${mean(memory.slice(0, third)).toFixed(1)}, ${mean(memory.slice(third, 2 * third)).toFixed(1)}, ${mean(memory.slice(-third)).toFixed(1)} MB in each third
  state      ${largest.toFixed(1)} KB at most, ${state.at(-1)!.toFixed(1)} KB in the end`);
	const findings = [
		...ledger.findings,
		...(growth > MOST_GROWTH_MB ? [`memory grew by ${growth.toFixed(1)} MB`] : []),
		...(largest > MOST_STATE_KB ? [`the state has ${largest.toFixed(0)} KB`] : []),
	];
	for (const finding of findings.slice(0, 20)) console.log(styleText('red', `  ${finding}`));
	console.log(
		findings.length === 0 ? 'Nothing lost, nothing twice.' : `${findings.length} findings`,
	);
	process.exitCode = findings.length === 0 ? 0 : 1;
}
